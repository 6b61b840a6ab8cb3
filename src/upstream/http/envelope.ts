// Holds the body of a response, and parses the envelope that wraps every response of the management API.
import type { ErrorPlace } from '../errors.ts';
import { UpstreamProtocolError } from '../errors.ts';
import { hasLongInteger, isObject, isStringList, kindOf, parseLongIntegers, textOf } from '../json.ts';
import { parseLong } from '../long-json.ts';
import { type LongWork, pauseOf } from '../pause.ts';

/** Bytes up to which a body is parsed at once: `JSON.parse` takes about 5 ms for them. */
const MAX_AT_ONCE = 512 * 1024;
/** The same for a body with integers that need the slower parser. */
const MAX_AT_ONCE_EXACTLY = 16 * 1024;

/** The bytes of a byte order mark, which some servers write before JSON. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The body of a response in the parts in which it has arrived. It is read once. */
export class ResponseBody {
  /** Bytes. */
  readonly size: number;
  readonly #parts: Buffer[];
  #firstCharacter: string | null = null;

  /** @param size The sum of the parts. */
  constructor(parts: Buffer[], size: number) {
    const [first] = parts;
    const isMarked = first !== undefined && BYTE_ORDER_MARK.every((byte, index) => first[index] === byte);
    if (isMarked) parts[0] = first.subarray(BYTE_ORDER_MARK.length);
    this.#parts = parts;
    this.size = isMarked ? size - BYTE_ORDER_MARK.length : size;
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
    if (!hasLongInteger(text)) return JSON.parse(text);
    return this.size > MAX_AT_ONCE_EXACTLY ? this.#parseInPieces(work) : parseLongIntegers(text);
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

/** The object that wraps every response (specification: Response envelope). */
export interface Envelope {
  readonly status: boolean;
  readonly response: unknown;
  readonly message: string | null;
  /** Messages by parameter. */
  readonly errors: ReadonlyMap<string, readonly string[]>;
}

const PEER = 'management API';

/**
 * Parses the text of a response.
 * @throws UpstreamProtocolError when the text is not an envelope, e.g. empty, truncated or HTML.
 */
export const parseEnvelope = (text: string, place: ErrorPlace): Envelope =>
  toEnvelope(parseJson(text, place, PEER), place);

/**
 * Parses the body of a response, with integers beyond 2^53−1. A long body is parsed in pieces, and the result is a promise.
 * @param work How parsing a long body pauses and ends early.
 * @throws UpstreamProtocolError as `parseEnvelope` does. The promise rejects with it.
 */
export function readEnvelope(
  body: ResponseBody,
  place: ErrorPlace,
  work: LongWork,
): Envelope | Promise<Envelope> {
  const refuse = (error: unknown): never => {
    throw toProtocolError(error, body.firstCharacter, place, PEER);
  };
  try {
    const raw = body.parse(work);
    if (raw instanceof Promise) return raw.then((value) => toEnvelope(value, place), refuse);
    return toEnvelope(raw, place);
  } catch (error) {
    return refuse(error);
  }
}

function toEnvelope(raw: unknown, place: ErrorPlace): Envelope {
  if (!isObject(raw) || typeof raw['status'] !== 'boolean') {
    const actual = isObject(raw) ? 'an object without a status' : kindOf(raw);
    throw new UpstreamProtocolError(
      `The management API answered with ${actual} where an envelope was expected.`,
      place,
    );
  }
  return {
    status: raw['status'],
    response: raw['response'] ?? null,
    message: textOf(raw['message']),
    errors: parseErrors(raw['errors']),
  };
}

/**
 * Parses a text as JSON.
 * @param peer Name of the answering service in messages.
 * @throws UpstreamProtocolError when the text is empty or not JSON.
 */
export function parseJson(text: string, place: ErrorPlace, peer: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw toProtocolError(error, text.trimStart().charAt(0), place, peer);
  }
}

/** Describes why a body is not JSON. Errors of other kinds stay as they are. */
function toProtocolError(error: unknown, firstCharacter: string, place: ErrorPlace, peer: string): unknown {
  if (!(error instanceof SyntaxError || error instanceof RangeError)) return error;
  if (firstCharacter === '') return new UpstreamProtocolError(`The ${peer} gave an empty response.`, place);
  const actual = firstCharacter === '<' ? 'markup' : 'text';
  return new UpstreamProtocolError(`The ${peer} answered with ${actual} where JSON was expected.`, place, {
    // The parser's message quotes the body, so only the name of its error is kept.
    cause: error.name,
  });
}

const NO_ERRORS: ReadonlyMap<string, readonly string[]> = new Map();

function parseErrors(raw: unknown): ReadonlyMap<string, readonly string[]> {
  if (!isObject(raw)) return NO_ERRORS;
  const errors = new Map<string, readonly string[]>();
  for (const [parameter, messages] of Object.entries(raw)) {
    if (isStringList(messages)) errors.set(parameter, messages);
    else if (typeof messages === 'string') errors.set(parameter, [messages]);
  }
  return errors;
}
