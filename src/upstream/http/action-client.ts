import type { Action } from '../description/description.ts';
import type { ErrorPlace } from '../errors/optiongraph-error.ts';
import { ActionFailedError, UpstreamProtocolError } from '../errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../reader.ts';
import type { Credential } from './authentication.ts';
import { type CallMeter, metered } from './call-meter.ts';
import { type Envelope, parseEnvelope } from './envelope.ts';
import { fillPath } from './path-template.ts';
import { encodeQuery } from './query-string.ts';
import type { Transport } from './transport.ts';

/** On whose behalf a call is made: all of the caller that goes upstream. */
export interface Caller {
  /** Null for an anonymous caller. */
  readonly credential: Credential | null;
  /** Further headers that are passed on: language, client's address, request id. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One call of an action. */
export interface ActionCall {
  readonly action: Action;
  /** Values of the path's placeholders, in path order. */
  readonly path: readonly string[];
  /** Input parameters by upstream name; what is omitted here is omitted upstream. */
  readonly input: JsonObject;
  /** Global metadata parameters. */
  readonly meta: JsonObject;
}

/** What an action returned. */
export interface ActionResult {
  /** HTTP status. */
  readonly status: number;
  /** The value under the output namespace: an object for `object` and `hash`, rows for the lists; null when nothing is described. */
  readonly output: JsonObject | readonly JsonObject[] | null;
  /** Global metadata; for a single object its own metadata too. */
  readonly meta: JsonObject;
}

/** How one call is made. */
export interface CallOptions {
  /** Aborts the call, upstream too. */
  readonly signal?: AbortSignal | undefined;
  /** Counts the call once it is sent; default: it is not counted. */
  readonly meter?: CallMeter;
}

/** Calls described actions. */
export interface ActionClient {
  call(call: ActionCall, caller: Caller, options?: CallOptions): Promise<ActionResult>;
}

/** Makes a client of one description's actions over a transport; `metaNamespace` is the description's. */
export function createActionClient(transport: Transport, metaNamespace: string): ActionClient {
  return {
    call(call, caller, { signal, meter } = {}) {
      const { action } = call;
      return metered(meter, { action: action.scope, path: action.path.text }, async (onSent) => {
        const path = fillPath(action.path, call.path);
        const { status, body } = await transport.send({
          method: action.method,
          ...(action.method === 'GET'
            ? { path: withQuery(path, call, metaNamespace) }
            : { path, body: JSON.stringify(bodyOf(call, metaNamespace)) }),
          headers: headersOf(caller, action.method !== 'GET'),
          signal,
          onSent,
          scope: action.scope,
        });
        const place = { action: action.scope, status };
        return resultOf(parseEnvelope(body, place), action, metaNamespace, place);
      });
    },
  };
}

/** The headers of a call on a caller's behalf. */
export function headersOf(caller: Caller, hasBody = false): Record<string, string> {
  return {
    ...caller.headers,
    accept: 'application/json',
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(caller.credential ? { [caller.credential.header]: caller.credential.value } : {}),
  };
}

function withQuery(path: string, { action, input, meta }: ActionCall, metaNamespace: string): string {
  const query = encodeQuery([
    [action.input.namespace, input],
    [metaNamespace, meta],
  ]);
  return query === '' ? path : `${path}?${query}`;
}

function bodyOf({ action, input, meta }: ActionCall, metaNamespace: string): JsonObject {
  const { namespace } = action.input;
  return {
    ...(namespace === null ? input : { [namespace]: input }),
    ...(Object.keys(meta).length > 0 ? { [metaNamespace]: meta } : {}),
  };
}

function resultOf(
  envelope: Envelope,
  action: Action,
  metaNamespace: string,
  place: Required<ErrorPlace> & { readonly status: number },
): ActionResult {
  if (!envelope.status || place.status >= 400) {
    throw new ActionFailedError(place, envelope.message, envelope.errors, namesObject(action));
  }
  const { response } = envelope;
  const meta = isObject(response) ? response[metaNamespace] : null;
  return {
    status: place.status,
    output: outputOf(response, action, metaNamespace, place),
    meta: isObject(meta) ? meta : {},
  };
}

/**
 * Whether a call names an object: by an id in its path, by what it writes, or as a read of one object, which its input or the
 * caller tells. Any other read lists what is at a fixed path.
 */
function namesObject({ path, method, output }: Action): boolean {
  return path.placeholders.length > 0 || method !== 'GET' || output.layout === 'object';
}

function outputOf(
  response: unknown,
  { output: { layout, namespace, parameters }, method, blocking }: Action,
  metaNamespace: string,
  place: ErrorPlace,
): ActionResult['output'] {
  if (parameters.length === 0) return null;
  const value =
    namespace === null ? topOf(response, metaNamespace) : isObject(response) && response[namespace];
  const isList = layout === 'object_list' || layout === 'hash_list';
  if (isList && Array.isArray(value) && value.every(isObject)) return value;
  if (!isList && isObject(value)) return value;
  // Writes are done although they tell nothing of what is described: many servers answer them with an empty object.
  if ((method !== 'GET' || blocking) && (value === undefined || value === null || value === false))
    return null;
  throw new UpstreamProtocolError(
    `The management API's answer lacks ${isList ? 'the list' : 'the object'} that its description promises${namespace === null ? '' : ` under ${JSON.stringify(namespace)}`}.`,
    place,
  );
}

/** What stands at the top of a response without a namespace: values beside the metadata, or the rows of a list. */
function topOf(response: unknown, metaNamespace: string): unknown {
  if (!isObject(response)) return response;
  const { [metaNamespace]: _meta, ...top } = response;
  return top;
}
