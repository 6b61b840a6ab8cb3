// Holds the body of a response, and parses a long one in pieces.
import { hasLongInteger, parseExactly } from '../json.ts';
import { parseLong } from '../long-json.ts';
import { type LongWork, pauseOf } from '../pause.ts';

/** Bytes up to which a body is parsed at once: `JSON.parse` takes about 5 ms for them. */
const MAX_AT_ONCE = 512 * 1024;
/** The same for a body with integers that need the slower parser. */
const MAX_AT_ONCE_EXACTLY = 16 * 1024;

/** The body of a response in the parts in which it has arrived. It is read once. */
export class ResponseBody {
  /** Bytes. */
  readonly size: number;
  readonly #parts: Buffer[];
  #firstCharacter: string | null = null;

  /** @param size The sum of the parts. */
  constructor(parts: Buffer[], size: number) {
    this.#parts = parts;
    this.size = size;
  }

  /** The whole text. */
  get text(): string {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.size);
    return bytes?.toString('utf8') ?? '';
  }

  /** The first character that is no white space; empty for none. */
  get firstCharacter(): string {
    this.#firstCharacter ??= findFirst(this.#parts);
    return this.#firstCharacter;
  }

  /**
   * Parses the body as `parseExactly` does: a short one at once, a long one in pieces, whose memory it frees as it goes.
   * @param work How parsing a long body pauses and ends early.
   * @throws What `parseExactly` throws. The promise rejects with it.
   */
  parse(work: LongWork): unknown {
    if (this.size > MAX_AT_ONCE) return this.#parseInPieces(work);
    const { text } = this;
    return this.size > MAX_AT_ONCE_EXACTLY && hasLongInteger(text)
      ? this.#parseInPieces(work)
      : parseExactly(text);
  }

  #parseInPieces(work: LongWork): Promise<unknown> {
    // The message of an error needs it, and the parts are gone then.
    this.#firstCharacter = findFirst(this.#parts);
    return parseLong(this.#parts, pauseOf(work));
  }
}

function findFirst(parts: readonly Buffer[]): string {
  for (const part of parts) {
    const found = part.find((byte) => byte > 0x20);
    if (found !== undefined) return String.fromCharCode(found);
  }
  return '';
}
