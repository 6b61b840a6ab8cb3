import type { ErrorPlace } from '../errors/optiongraph-error.ts';
import { UpstreamProtocolError } from '../errors/upstream-errors.ts';
import { isObject, isStringList, kindOf, textOf } from '../reader.ts';

/** What every answer is wrapped in (spec: Response envelope). */
export interface Envelope {
  readonly status: boolean;
  readonly response: unknown;
  readonly message: string | null;
  /** Messages by parameter; empty when there are none. */
  readonly errors: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads an answer's body.
 * @throws UpstreamProtocolError when it is empty, cut short, HTML or anything else than an envelope.
 */
export function parseEnvelope(body: string, place: ErrorPlace): Envelope {
  const raw = parseJson(body, place);
  if (!isObject(raw) || typeof raw['status'] !== 'boolean') {
    const came = isObject(raw) ? 'an object without a status' : kindOf(raw);
    throw new UpstreamProtocolError(
      `The management API answered ${came} where an envelope was expected.`,
      place,
    );
  }
  return {
    status: raw['status'],
    response: raw['response'] ?? null,
    message: textOf(raw['message']),
    errors: errorsOf(raw['errors']),
  };
}

/**
 * Reads a body as JSON.
 * @param peer What messages call the one who answered.
 * @throws UpstreamProtocolError when it is empty or something else.
 */
export function parseJson(body: string, place: ErrorPlace, peer = 'management API'): unknown {
  if (body.trim() === '') throw new UpstreamProtocolError(`The ${peer} gave an empty answer.`, place);
  try {
    return JSON.parse(body);
  } catch (cause) {
    const came = body.trimStart().startsWith('<') ? 'markup' : 'text';
    throw new UpstreamProtocolError(`The ${peer} answered ${came} where JSON was expected.`, place, {
      // The parser's own message quotes the body, so only its kind is kept.
      cause: cause instanceof Error ? cause.name : undefined,
    });
  }
}

function errorsOf(raw: unknown): ReadonlyMap<string, readonly string[]> {
  const errors = new Map<string, readonly string[]>();
  if (!isObject(raw)) return errors;
  for (const [parameter, messages] of Object.entries(raw)) {
    if (isStringList(messages)) errors.set(parameter, messages);
    else if (typeof messages === 'string') errors.set(parameter, [messages]);
  }
  return errors;
}
