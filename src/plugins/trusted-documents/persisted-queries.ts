// Remembers the documents that clients register by their hash, as Apollo's automatic persisted queries do.
import { hash as digest } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';

/** Largest number of characters of all remembered documents, so that clients cannot make them grow without end. */
const MAX_SIZE = 8_388_608;
/** Largest remembered document, in characters. Larger ones are executed, but not remembered. */
const MAX_DOCUMENT_SIZE = 262_144;

const message = z.object({ hash: z.string(), text: z.string() });

/** The hash of a text by which clients name it: SHA-256, hexadecimal. */
export const hashOf = (text: string): string => digest('sha256', text);

/**
 * The documents that clients have registered, here or at another replica. Any client may name one, because the hash of a text names
 * only that text.
 */
export class PersistedQueries implements Disposable {
  readonly #texts = new LRUCache<string, string>({ maxSize: MAX_SIZE, maxEntrySize: MAX_DOCUMENT_SIZE });
  readonly #channel: Channel;

  /** @param replicas Those that may be asked for the same documents. */
  constructor(replicas: Replicas) {
    this.#channel = openChannel(replicas, 'documents', message, ({ hash, text }) => {
      if (hashOf(text) === hash) this.#add(hash, text);
    });
  }

  /** Remembers a text by its hash. The other replicas remember it too. */
  register(hash: string, text: string): void {
    if (this.#add(hash, text)) void this.#channel.send({ hash, text });
  }

  get(hash: string): string | undefined {
    return this.#texts.get(hash);
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }

  /** @returns Whether the text is remembered now and was not before. */
  #add(hash: string, text: string): boolean {
    if (this.#texts.has(hash)) return false;
    this.#texts.set(hash, text, { size: text.length + hash.length });
    return this.#texts.has(hash);
  }
}
