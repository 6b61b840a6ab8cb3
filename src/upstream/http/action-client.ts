// Calls the described actions of the management API and reads their responses.
import type { Observer } from '../../observer.ts';
import type { Action } from '../description/description.ts';
import { ActionFailedError, type ErrorPlace, UpstreamProtocolError } from '../errors.ts';
import {
  isObject,
  isStringList,
  type JsonObject,
  kindOf,
  parseExactly,
  stringifyExactly,
  textOf,
} from '../json.ts';
import type { QueueClient } from './call-queue.ts';
import type { Caller } from './caller.ts';
import { encodeQuery, fillPath } from './request-path.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** One call of an action. */
export interface ActionCall {
  readonly action: Action;
  /** Values of the path's placeholders, in path order. */
  readonly path: readonly string[];
  /** Input parameters by upstream name; omitted parameters are not sent. */
  readonly input: JsonObject;
  /** Global metadata parameters. */
  readonly meta: JsonObject;
}

/** What an action returned. */
export interface ActionResult {
  /** HTTP status. */
  readonly status: number;
  /** The value under the output namespace: an object for `object` and `hash`, rows for the list layouts; null where no output is described. */
  readonly output: JsonObject | readonly JsonObject[] | null;
  /** Global metadata; for a single object also its own metadata. */
  readonly meta: JsonObject;
}

/** Options of one call. */
export type CallOptions = Pick<TransportRequest, 'kind' | 'signal' | 'meter' | 'cause'>;

/** Calls described actions on behalf of a caller. */
export interface ActionClient {
  /** @throws ActionFailedError when the upstream refuses the call, another UpstreamError when no valid response arrives. */
  call(call: ActionCall, options: CallOptions): Promise<ActionResult>;
}

/**
 * Calls a described action. Rejects as `ActionClient.call` does.
 * @param client Whose call it is, which then waits in the queue for calls. Default: it does not wait.
 */
export type CallAction = (
  call: ActionCall,
  caller: Caller,
  options: CallOptions,
  client?: QueueClient,
) => Promise<ActionResult>;

/**
 * Makes a function that calls the actions of one description.
 * @param metaNamespace The description's key of metadata.
 */
export function createCallAction(
  transport: Transport,
  metaNamespace: string,
  { invalidResponse }: Observer = {},
): CallAction {
  return (call, caller, { kind, signal, meter, cause = null }, client) => {
    const { action } = call;
    const { method, scope } = action;
    const { text: template } = action.path;
    const isGet = method === 'GET';
    const path = fillPath(action.path, call.path);
    // Written out, because V8 of Node 20 makes a hidden class for each object of a spread with further properties.
    const request: TransportRequest = {
      method,
      // Input of GET goes into the query string, other input as JSON into the body.
      path: isGet ? withQuery(path, call, metaNamespace) : path,
      headers: isGet
        ? caller.requestHeaders
        : { ...caller.requestHeaders, 'content-type': 'application/json' },
      body: isGet ? null : stringifyExactly(buildBody(call, metaNamespace)),
      kind,
      signal,
      client,
      meter,
      scope,
      template,
      cause,
    };
    return transport.send(request).then(({ status, body }) => {
      const place = { action: scope, status };
      try {
        return readResult(body, action, metaNamespace, place);
      } catch (error) {
        if (!(error instanceof UpstreamProtocolError)) throw error;
        if (GATEWAY_REFUSALS.has(status))
          throw new ActionFailedError(
            place,
            `The management API, or a gateway in front of it, refused the call with status ${status}.`,
            { namesObject: namesObject(action) },
          );
        invalidResponse?.({ cause, ...place, template, problem: error.message });
        throw error;
      }
    });
  };
}

function withQuery(path: string, { action, input, meta }: ActionCall, metaNamespace: string): string {
  const query = encodeQuery([
    [action.input.namespace, input],
    [metaNamespace, meta],
  ]);
  return query === '' ? path : `${path}?${query}`;
}

function buildBody({ action, input, meta }: ActionCall, metaNamespace: string): JsonObject {
  const { namespace } = action.input;
  return {
    ...(namespace === null ? input : { [namespace]: input }),
    ...(Object.keys(meta).length > 0 ? { [metaNamespace]: meta } : {}),
  };
}

/** Where a response came from. */
type Place = Required<ErrorPlace> & { readonly status: number };

/**
 * Statuses with which a gateway in front of the API refuses a call by itself, often without an envelope: the call was not carried out.
 * Those of overload are errors of the transport.
 */
const GATEWAY_REFUSALS: ReadonlySet<number> = new Set([
  401, 403, 404, 405, 411, 413, 414, 415, 421, 429, 431,
]);

/**
 * Reads the response to a call.
 * @param metaNamespace The description's key of metadata.
 * @throws ActionFailedError when the upstream refuses the call, UpstreamProtocolError when the response is none of the action.
 */
function readResult(text: string, action: Action, metaNamespace: string, place: Place): ActionResult {
  const { status, response, message, errors } = parseEnvelope(text, place);
  if (!status || place.status >= 400)
    throw new ActionFailedError(place, message, { errors, namesObject: namesObject(action) });
  const meta = isObject(response) ? response[metaNamespace] : null;
  return {
    status: place.status,
    output: parseOutput(response, action, metaNamespace, place),
    meta: isObject(meta) ? meta : {},
  };
}

/**
 * Whether a call refers to an object: by an id in its path, by a write, or by a read of a single object that the input or
 * the caller determines. Any other read lists the objects at a fixed path.
 */
function namesObject({ path, method, output }: Action): boolean {
  return path.placeholders.length > 0 || method !== 'GET' || output.layout === 'object';
}

/** @throws UpstreamProtocolError when the output is none of the action. */
function parseOutput(
  response: unknown,
  { method, blocking, output: { namespace, layout, parameters } }: Action,
  metaNamespace: string,
  place: ErrorPlace,
): ActionResult['output'] {
  if (parameters.length === 0) return null;
  const value =
    namespace === null ? withoutMeta(response, metaNamespace) : isObject(response) && response[namespace];
  const isList = layout === 'object_list' || layout === 'hash_list';
  if (isList && Array.isArray(value) && value.every(isObject)) return value;
  if (!isList && isObject(value)) return value;
  // Many servers answer a successful write with an empty object, although the description promises output.
  const mayLack = method !== 'GET' || blocking;
  if (mayLack && (value === undefined || value === null || value === false)) return null;
  const under = namespace === null ? '' : ` under ${JSON.stringify(namespace)}`;
  throw new UpstreamProtocolError(
    `The management API's response lacks ${isList ? 'the list' : 'the object'} that its description promises${under}.`,
    place,
  );
}

/** The output of a response without a namespace: the values beside the metadata, or the rows of a list. */
function withoutMeta(response: unknown, metaNamespace: string): unknown {
  if (!isObject(response)) return response;
  const { [metaNamespace]: _meta, ...output } = response;
  return output;
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
