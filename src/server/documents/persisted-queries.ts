// Remembers the documents that clients register by their hash, as Apollo's automatic persisted queries do.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Largest number of characters of all remembered documents, so that clients cannot make them grow without end. */
const MAX_SIZE = 8_388_608;
/** Largest remembered document, in characters. Larger ones are executed, but not remembered. */
const MAX_DOCUMENT_SIZE = 262_144;

/** The documents that clients have registered. Any client may name one, because the hash of a text names only that text. */
export class PersistedQueries {
  readonly #texts = new LRUCache<string, string>({ maxSize: MAX_SIZE, maxEntrySize: MAX_DOCUMENT_SIZE });

  /** Remembers a text, unless the hash is that of another one. */
  register(hash: string, text: string): void {
    if (this.#texts.has(hash) || createHash('sha256').update(text).digest('hex') !== hash) return;
    this.#texts.set(hash, text, { size: text.length + hash.length });
  }

  /** Returns the text with a hash. */
  get(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}
