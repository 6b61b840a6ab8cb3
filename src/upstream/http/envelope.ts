// Parses the envelope that wraps every response of the management API.
import type { ErrorPlace } from '../errors.ts';
import { UpstreamProtocolError } from '../errors.ts';
import { isObject, isStringList, kindOf, textOf } from '../json.ts';

/** The object that wraps every response (specification: Response envelope). */
export interface Envelope {
  readonly status: boolean;
  readonly response: unknown;
  readonly message: string | null;
  /** Messages by parameter. */
  readonly errors: ReadonlyMap<string, readonly string[]>;
}

/**
 * Parses the body of a response.
 * @param parse Parses JSON. Default: `JSON.parse`.
 * @throws UpstreamProtocolError when the body is not an envelope, e.g. empty, truncated or HTML.
 */
export function parseEnvelope(body: string, place: ErrorPlace, parse = parsePlainly): Envelope {
  const raw = parseJson(body, place, 'management API', parse);
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
 * Parses a body as JSON.
 * @param peer Name of the answering service in messages.
 * @throws UpstreamProtocolError when the body is empty or not JSON.
 */
export function parseJson(body: string, place: ErrorPlace, peer: string, parse = parsePlainly): unknown {
  try {
    return parse(body);
  } catch (cause) {
    if (body.trim() === '') throw new UpstreamProtocolError(`The ${peer} gave an empty response.`, place);
    const actual = body.trimStart().startsWith('<') ? 'markup' : 'text';
    throw new UpstreamProtocolError(`The ${peer} answered with ${actual} where JSON was expected.`, place, {
      // The parser's message quotes the body, so only the name of its error is kept.
      cause: cause instanceof Error ? cause.name : undefined,
    });
  }
}

const parsePlainly = (body: string): unknown => JSON.parse(body);

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
