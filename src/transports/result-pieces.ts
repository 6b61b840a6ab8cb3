// Sends long texts and large results as bytes in pieces. As one text, a large result is joined, copied and encoded in one go.
import { Readable } from 'node:stream';
import { Response } from '@whatwg-node/server';
import type { FetchAPI } from 'graphql-yoga';
import type { IncrementalResult } from '../operation/incremental/incremental-result.ts';

/** Characters from which a text is long. */
const LONG = 65_536;

/** Stands for a large result in what yoga writes: neither JSON has this character nor what is around it. */
const MARK = '\0';

/** The large results in the text that yoga writes. It encodes or sends a text as soon as that is written. */
const marked: (readonly Buffer[])[] = [];

/** Has yoga write a mark in place of a large result. */
export function withMark<R extends IncrementalResult>(result: R): R {
  const { encode } = result;
  if (encode === undefined) return result;
  const stringify = (formatted: object): string => {
    marked.push(encode(formatted));
    return MARK;
  };
  return Object.assign({}, result, { stringify });
}

/** What yoga has written, with the large results in place of their marks. */
export function toPieces(text: string): readonly Buffer[] {
  const results = marked.splice(0);
  const texts = text.split(MARK).map((part) => Buffer.from(part));
  return texts.flatMap((part, index) => [part, ...(results[index] ?? [])]);
}

/** Whether yoga has written a large result. */
export const hasMark = (text: string): boolean => text.includes(MARK);

/**
 * A long text as bytes, and a short one as it is: node writes it together with the head of a response. Of long texts that a client has left
 * unread, node would encode many in one go when it reads again.
 */
export const encodeLong = (text: string): string | Buffer => (text.length < LONG ? text : Buffer.from(text));

/** Bytes of the pieces of a body. */
export const sizeOf = (body: readonly (string | Buffer)[]): number =>
  body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

/** An encoded text. */
class Pieces {
  readonly pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  get byteLength(): number {
    return sizeOf(this.pieces);
  }
}

class PiecesEncoder {
  encode(text: string): Pieces {
    return new Pieces(toPieces(text));
  }
}

/** What yoga makes a stream of results of. */
interface Source {
  start(controller: PiecesStream): void;
  pull(controller: PiecesStream): void | Promise<void>;
  cancel(reason: unknown): void | Promise<void>;
}

/** A stream of results, and its controller. Yoga writes the next result when this one is sent. */
class PiecesStream extends Readable {
  readonly #source: Source;
  /** What is not pushed yet. The stream would join what it holds when it is read. */
  readonly #waiting: Buffer[] = [];
  #isBegun = false;
  #isWanted = false;
  #isPulling = false;
  #isComplete = false;

  constructor(source: Source) {
    super();
    this.#source = source;
  }

  /** Null when nobody reads it any more. */
  get desiredSize(): number | null {
    if (this.destroyed) return null;
    return this.#waiting.length > 0 ? 0 : this.readableHighWaterMark - this.readableLength;
  }

  enqueue({ pieces }: Pieces): void {
    this.#waiting.push(...pieces);
    if (this.#isWanted) this.#pushWaiting();
  }

  close(): void {
    this.#isComplete = true;
    if (this.#waiting.length === 0) this.push(null);
  }

  error(reason: Error): void {
    this.destroy(reason);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#begin();
    if (this.#waiting.length > 0) this.#pushWaiting();
    else void this.#pull();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isWanted = false;
    this.#begin();
    void this.#source.cancel(error);
    done(error);
  }

  /** Nobody reads or destroys the body of a response whose client has left before: its source must not begin to send pings. */
  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#source.start(this);
  }

  /** Has the source enqueue results as long as there is room. One at a time: what it enqueues meanwhile, such as a ping, asks for no other. */
  async #pull(): Promise<void> {
    if (this.#isPulling) return;
    this.#isPulling = true;
    try {
      while (this.#isWanted && this.#waiting.length === 0 && !this.#isComplete) await this.#source.pull(this);
    } catch (error) {
      this.destroy(error as Error);
    }
    this.#isPulling = false;
  }

  #pushWaiting(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#isWanted = this.push(next);
      if (!this.#isWanted) break;
    }
    if (this.#isComplete && this.#waiting.length === 0) this.push(null);
  }
}

/** A response, whose text may have marks. */
class PiecesResponse extends Response {
  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    if (typeof body === 'string' && hasMark(body)) {
      const pieces = toPieces(body);
      const headers = { ...init.headers, 'content-length': String(sizeOf(pieces)) };
      super(Readable.from(pieces) as unknown as BodyInit, { ...init, headers });
    } else super(body, init);
  }
}

/** What yoga makes responses with. */
export const PIECES_API = {
  TextEncoder: PiecesEncoder,
  ReadableStream: PiecesStream,
  Response: PiecesResponse,
} as unknown as Partial<FetchAPI>;
