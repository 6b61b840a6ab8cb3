// Reads the responses to calls of described actions.
import type { Action } from '../description/description.ts';
import { ActionFailedError, type ErrorPlace, UpstreamProtocolError } from '../errors.ts';
import { isObject } from '../json.ts';
import { type LongWork, pauseOf } from '../pause.ts';
import type { ActionResult } from './action-client.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import type { ResponseBody } from './response-body.ts';

/** Where a response came from. */
type Place = Required<ErrorPlace> & { readonly status: number };

/**
 * Reads the response to a call. The result is a promise if the response is long.
 * @param metaNamespace The description's key of metadata.
 * @param work How reading a long response pauses and ends early.
 * @throws ActionFailedError when the upstream refuses the call, UpstreamProtocolError when the response is none of the action. The promise
 *   rejects with the same.
 */
export function readResult(
  body: ResponseBody,
  action: Action,
  metaNamespace: string,
  place: Place,
  work: LongWork,
): ActionResult | Promise<ActionResult> {
  const envelope = readEnvelope(body, place, work);
  if (envelope instanceof Promise)
    return envelope.then((read) =>
      checkManyRows(toResult(read, action, metaNamespace, place), action, place, work),
    );
  const result = toResult(envelope, action, metaNamespace, place);
  if (areObjects(result.output)) return result;
  throw createOutputError(action, place);
}

/** Reads an envelope. The rows of a list are still to be checked. */
function toResult(envelope: Envelope, action: Action, metaNamespace: string, place: Place): ActionResult {
  if (!envelope.status || place.status >= 400) {
    throw new ActionFailedError(place, envelope.message, envelope.errors, namesObject(action));
  }
  const { response } = envelope;
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

function parseOutput(
  response: unknown,
  action: Action,
  metaNamespace: string,
  place: ErrorPlace,
): ActionResult['output'] {
  const { namespace, parameters } = action.output;
  if (parameters.length === 0) return null;
  const value =
    namespace === null ? withoutMeta(response, metaNamespace) : isObject(response) && response[namespace];
  const isList = isListLayout(action);
  if (isList && Array.isArray(value)) return value;
  if (!isList && isObject(value)) return value;
  // Many servers answer a successful write with an empty object, although the description promises output.
  if (
    (action.method !== 'GET' || action.blocking) &&
    (value === undefined || value === null || value === false)
  )
    return null;
  throw createOutputError(action, place);
}

const isListLayout = ({ output: { layout } }: Action): boolean =>
  layout === 'object_list' || layout === 'hash_list';

function createOutputError(action: Action, place: ErrorPlace): UpstreamProtocolError {
  const { namespace } = action.output;
  return new UpstreamProtocolError(
    `The management API's response lacks ${isListLayout(action) ? 'the list' : 'the object'} that its description promises${namespace === null ? '' : ` under ${JSON.stringify(namespace)}`}.`,
    place,
  );
}

/** Rows that are checked at once. */
const MAX_ROWS_AT_ONCE = 10_000;

const areObjects = (output: ActionResult['output']): boolean =>
  !Array.isArray(output) || output.every(isObject);

async function checkManyRows(
  result: ActionResult,
  action: Action,
  place: Place,
  work: LongWork,
): Promise<ActionResult> {
  const { output } = result;
  if (!Array.isArray(output)) return result;
  const pause = pauseOf(work);
  for (let from = 0; from < output.length; from += MAX_ROWS_AT_ONCE) {
    if (!areObjects(output.slice(from, from + MAX_ROWS_AT_ONCE))) throw createOutputError(action, place);
    const paused = pause();
    if (paused !== undefined) await paused;
  }
  return result;
}

/** The output of a response without a namespace: the values beside the metadata, or the rows of a list. */
function withoutMeta(response: unknown, metaNamespace: string): unknown {
  if (!isObject(response)) return response;
  const { [metaNamespace]: _meta, ...output } = response;
  return output;
}
