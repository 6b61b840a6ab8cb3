// The files of the explorer, as `packages/explorer/build.ts` has made and compressed them.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The encodings of the explorer's page and files. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** A body in one encoding. All responses share its buffer. */
export interface EncodedBody {
  readonly body: Buffer;
  readonly encoding: Encoding;
}

/** The same path from `src/transports`, `dist/transports` and the bundle in `dist/cli`. */
const FOLDER = new URL('../../dist/explorer/app/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  ttf: 'font/ttf',
};

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/** One module of the build in vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

/** The files that the page loads, the entry first. */
export interface PageFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** The files of the explorer. Each is read once. */
export class ExplorerAssets {
  readonly #types = new Map<string, string>();
  readonly #read = new Map<string, Promise<Buffer>>();
  /** Null when the explorer was not built. */
  readonly pageFiles: PageFiles | null;

  constructor() {
    let names: readonly string[] = [];
    try {
      names = readdirSync(FOLDER);
    } catch {
      // There is no build.
    }
    for (const name of names) {
      const type = TYPES[name.split('.').at(-1) ?? ''];
      if (type !== undefined) this.#types.set(name, type);
    }
    this.pageFiles = names.includes('manifest.json') ? readPageFiles() : null;
  }

  /** The media type of a file; null if there is no such file. */
  typeOf(name: string): string | null {
    return this.#types.get(name) ?? null;
  }

  /** Reads a file. Those that are compressed already, such as fonts, have no other encoding. */
  async read(name: string, accepted: Encoding): Promise<EncodedBody> {
    const encoding = /\.(js|css)$/.test(name) ? accepted : 'identity';
    const file = name + SUFFIXES[encoding];
    let read = this.#read.get(file);
    if (read === undefined) {
      read = readFile(new URL(file, FOLDER));
      this.#read.set(file, read);
    }
    return { body: await read, encoding };
  }
}

/** Finds what the page needs before it can be used, so that the browser loads everything at once. */
function readPageFiles(): PageFiles {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as Record<
    string,
    Chunk
  >;
  const [entry] = Object.entries(manifest).find(([, { isEntry }]) => isEntry === true) ?? [];
  const needed = new Set<string>();
  const add = (key: string, depth: number): void => {
    const chunk = manifest[key];
    if (chunk === undefined || needed.has(key)) return;
    needed.add(key);
    for (const name of chunk.imports ?? []) add(name, depth);
    // The entry imports the explorer, and the explorer the editor. What these import later is needed for single commands.
    if (depth < 2)
      for (const name of chunk.dynamicImports ?? []) if (depth === 0 || isEditor(name)) add(name, depth + 1);
  };
  if (entry !== undefined) add(entry, 0);
  const chunks = [...needed].flatMap((key) => manifest[key] ?? []);
  return {
    scripts: chunks.map(({ file }) => file),
    styles: [...new Set(chunks.flatMap(({ css = [] }) => css))],
  };
}

const isEditor = (module: string): boolean => module.includes('monaco-graphql/');
