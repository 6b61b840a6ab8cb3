// The files of the explorer, as `packages/explorer/build.ts` has made and compressed them.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import type { Encoding } from './http/response-headers.ts';

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

/** Of the files that compress well there is only this form. */
const COMPRESSED = '.br';

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

/** The files of the explorer. Each is read once, and converted once for clients that do not accept brotli, as browsers do without TLS. */
export class ExplorerAssets {
  /** The names of all files in the folder. */
  readonly #names: ReadonlySet<string>;
  /** By encoding and name. */
  readonly #bodies = new Map<string, Promise<Buffer>>();
  /** Null when the explorer was not built. */
  readonly pageFiles: PageFiles | null;

  constructor() {
    let names: readonly string[] = [];
    try {
      names = readdirSync(FOLDER);
    } catch {
      // There is no build.
    }
    this.#names = new Set(names);
    this.pageFiles = names.includes('manifest.json') ? readPageFiles() : null;
  }

  /** The media type of a file; null if there is no such file. */
  typeOf(name: string): string | null {
    const isThere = this.#names.has(name) || this.#isCompressed(name);
    return (isThere && TYPES[name.split('.').at(-1) ?? '']) || null;
  }

  /** Reads a file. Fonts, which are compressed already, have no other encoding. */
  async read(name: string, accepted: Encoding): Promise<EncodedBody> {
    const encoding = this.#isCompressed(name) ? accepted : 'identity';
    const key = `${encoding} ${name}`;
    const body = this.#bodies.get(key) ?? this.#make(name, encoding);
    this.#bodies.set(key, body);
    return { body: await body, encoding };
  }

  #isCompressed(name: string): boolean {
    return this.#names.has(name + COMPRESSED);
  }

  async #make(name: string, encoding: Encoding): Promise<Buffer> {
    if (!this.#isCompressed(name)) return readFile(new URL(name, FOLDER));
    const compressed = await readFile(new URL(name + COMPRESSED, FOLDER));
    if (encoding === 'br') return compressed;
    const plain = await promisify(brotliDecompress)(compressed);
    return encoding === 'gzip' ? promisify(gzip)(plain) : plain;
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
