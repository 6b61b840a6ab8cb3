// Reads the files of the explorer's page, as `packages/explorer/build.ts` has made and compressed them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import type { Encoding } from '../../server/http/plain-post.ts';

/** A file in one encoding. All responses share its buffer. */
export interface EncodedFile {
  readonly body: Buffer;
  readonly encoding: Encoding;
  readonly contentType: string;
}

/** The files that the page loads, the entry first. */
export interface PageFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  ttf: 'font/ttf',
};

/** Of the files that compress well there is only this form. */
const COMPRESSED = '.br';
/** The files that the page loads, by the build. */
const LIST = 'page.json';

/** From the bundle in `dist/cli`, and from this folder of `src` or `dist`. */
const FOLDERS = ['../../', '../../../'].map((root) => new URL(`${root}dist/explorer/app/`, import.meta.url));

/** The files of the explorer. Each is read once, and converted once for clients that do not accept brotli, as browsers do without TLS. */
export class ExplorerFiles {
  /** Null when the explorer was not built. */
  readonly #folder = FOLDERS.find((folder) => existsSync(new URL(LIST, folder))) ?? null;
  readonly #names: ReadonlySet<string>;
  /** By encoding and name. */
  readonly #bodies = new Map<string, Promise<Buffer>>();
  /** Null when the explorer was not built. */
  readonly page: PageFiles | null;

  constructor() {
    this.#names = new Set(this.#folder === null ? [] : readdirSync(this.#folder));
    this.page = this.#folder === null ? null : JSON.parse(readFileSync(new URL(LIST, this.#folder), 'utf8'));
  }

  /** Reads a file; null if there is none. Fonts, which are compressed already, have no other encoding. */
  async read(name: string, accepted: Encoding): Promise<EncodedFile | null> {
    const isCompressed = this.#names.has(name + COMPRESSED);
    const contentType = TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined || !(isCompressed || this.#names.has(name))) return null;
    const encoding = isCompressed ? accepted : 'identity';
    const key = `${encoding} ${name}`;
    const body = this.#bodies.get(key) ?? this.#make(isCompressed ? name + COMPRESSED : name, encoding);
    this.#bodies.set(key, body);
    return { body: await body, encoding, contentType };
  }

  async #make(stored: string, encoding: Encoding): Promise<Buffer> {
    const content = await readFile(new URL(stored, this.#folder ?? undefined));
    if (!stored.endsWith(COMPRESSED) || encoding === 'br') return content;
    const plain = await promisify(brotliDecompress)(content);
    return encoding === 'gzip' ? promisify(gzip)(plain) : plain;
  }
}
