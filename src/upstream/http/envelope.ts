// Parses the envelope that wraps every response of the management API.
import type { ErrorPlace } from '../errors.ts';
import { UpstreamProtocolError } from '../errors.ts';
import { isObject, isStringList, kindOf, parseExactly, textOf } from '../json.ts';

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
 * Parses the text of a response, with the digits of integers beyond 2^53−1.
 * @param parse Parses JSON. Default: `parseExactly`.
 * @throws UpstreamProtocolError when the text is not an envelope, e.g. empty, truncated or HTML.
 */
export function parseEnvelope(
  text: string,
  place: ErrorPlace,
  parse: (text: string) => unknown = parseExactly,
): Envelope {
  const raw = parseJson(text, place, PEER, parse);
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
 * Parses a text as JSON, see `parseExactly`.
 * @param peer Name of the answering service in messages.
 * @throws UpstreamProtocolError when the text is empty or not JSON.
 */
export function parseJson(
  text: string,
  place: ErrorPlace,
  peer: string,
  parse: (text: string) => unknown = parseExactly,
): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    const [first] = text.trimStart();
    if (first === undefined)
      throw new UpstreamProtocolError(`The ${peer} gave an empty response.`, place, { cause: error.name });
    const actual = first === '<' ? 'markup' : 'text';
    throw new UpstreamProtocolError(`The ${peer} answered with ${actual} where JSON was expected.`, place, {
      // The parser's message quotes the body, so only the name of its error is kept.
      cause: error.name,
    });
  }
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
