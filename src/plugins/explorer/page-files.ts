// Reads the files of the explorer's page, as `packages/explorer/build.ts` has made and compressed them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** A file in one encoding. All responses share its content. */
export interface EncodedFile {
  readonly body: Blob;
  readonly encoding: 'br' | 'identity';
  readonly contentType: string;
}

/** The files that the page loads, the entry first. */
export interface PageFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** From the bundle in `dist/cli`, and from this folder of `src` or `dist`. */
const FOLDERS = ['../../', '../../../'].map((root) => new URL(`${root}dist/explorer/app/`, import.meta.url));

/** The files of the explorer. Each is read once, and decompressed once for clients that do not accept brotli, as browsers do without TLS. */
export class ExplorerFiles {
  readonly #folder = FOLDERS.find((folder) => existsSync(new URL('page.json', folder)));
  readonly #names = new Set(this.#folder === undefined ? [] : readdirSync(this.#folder));
  /** By encoding and name. */
  readonly #bodies = new Map<string, Promise<Blob>>();
  /** Null when the explorer was not built. */
  readonly page: PageFiles | null =
    this.#folder === undefined ? null : JSON.parse(readFileSync(new URL('page.json', this.#folder), 'utf8'));

  /** Reads a file; null if there is none. Fonts, which are compressed already, have no other encoding. */
  async read(name: string, acceptsBrotli: boolean): Promise<EncodedFile | null> {
    const isCompressed = this.#names.has(`${name}.br`);
    const contentType = TYPES[extname(name)];
    if (contentType === undefined || !(isCompressed || this.#names.has(name))) return null;
    const encoding = isCompressed && acceptsBrotli ? 'br' : 'identity';
    const key = `${encoding} ${name}`;
    const body = this.#bodies.get(key) ?? this.#load(name, isCompressed, encoding);
    this.#bodies.set(key, body);
    body.catch(() => this.#bodies.delete(key));
    return { body: await body, encoding, contentType };
  }

  async #load(name: string, isCompressed: boolean, encoding: EncodedFile['encoding']): Promise<Blob> {
    const stored = await readFile(new URL(isCompressed ? `${name}.br` : name, this.#folder));
    const isDone = !isCompressed || encoding === 'br';
    return new Blob([isDone ? stored : await promisify(brotliDecompress)(stored)]);
  }
}
