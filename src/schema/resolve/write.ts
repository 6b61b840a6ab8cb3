// Resolves mutations: calls a write, and builds its payload.
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import {
  globalIdIn,
  idsOf,
  nearestIdIn,
  type PathIds,
  toGlobalId,
  toInputId,
} from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { WriteSubject } from '../../loaders/write-guard.ts';
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import { isMissing } from '../../upstream/errors.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isPathValue } from '../../upstream/http/request-path.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { Resolve, SchemaContext } from '../builder.ts';
import { returnsRows } from '../model/list-paging.ts';
import { isCancel, isDelete, type Placement } from '../model/placement.ts';
import { fillPlaceholders, type PathArguments } from '../types/ids.ts';
import type { Inputs } from '../types/inputs.ts';
import type { PayloadShape, ResultKind } from '../types/payloads.ts';
import { fromFailedAction, fromFailures, fromRefusal, type UserErrorShape } from './field-errors.ts';

/** Maximum wait for a blocking action, in seconds: shorter than the idle timeouts of common proxies. */
export const MAX_WAIT = 55;

/** Everything about a write that is known at assembly. */
interface WriteParts {
  readonly placement: Placement;
  /** Coordinate of the mutation, e.g. `Mutation.bookCreate`. */
  readonly coordinate: string;
  readonly path: PathArguments;
  readonly inputs: Inputs;
  readonly kind: ResultKind;
}

/** Finds the user errors of a refusal. @throws The error if it is not a refusal of the input or of the object's state. */
type ReadRefusal = (error: unknown) => Promise<readonly UserErrorShape[]>;

/**
 * Creates the resolver of a mutation. It checks the input by the described rules, calls the action once, and waits for it if the client
 * requests it.
 */
export function createWriteResolver(assembly: Assembly, parts: WriteParts): Resolve {
  const { placement, path, inputs } = parts;
  const { action } = placement;
  const buildPayload = createPayloadBuilder(assembly, parts);
  return async (_root, given, context) => {
    const wait = readWait(given['wait']);
    const values = path.read(given);
    const input = inputs.toUpstream(isObject(given['input']) ? given['input'] : {});
    const failures = inputs.failuresOf(input);
    if (failures.length > 0) return rejectedPayload(fromFailures(failures, inputs.paths));
    const call = { action, path: fillPlaceholders(action, values), input, meta: {} };
    const { operation } = context;
    let refusal: Promise<readonly UserErrorShape[]> | null = null;
    // The audit and the client get what is found out once.
    const readRefusalOnce: ReadRefusal = (error) => {
      refusal ??= readRefusal(error, parts, values, operation);
      return refusal;
    };
    const response = await operation.calls
      .write(call, subjectOf(parts, values, readRefusalOnce))
      .catch(readRefusalOnce);
    if (Array.isArray(response)) return rejectedPayload(response);
    return buildPayload(response as ActionResult, values, wait, context);
  };
}

/** Describes a write for its guards. */
function subjectOf(
  { placement, kind, coordinate }: WriteParts,
  values: PathIds,
  readRefusalOnce: ReadRefusal,
): WriteSubject {
  const { identity } = placement.resource;
  return {
    coordinate,
    target: () => nearestIdIn(identity, values),
    resultId({ output, meta }) {
      if (kind !== 'resource' || !isObject(output)) return null;
      const ids = idsOf(identity, output, meta, values);
      return ids === null ? null : toGlobalId(identity, ids);
    },
    failureOf: (error) =>
      readRefusalOnce(error).then(
        ([first]) => first?.code ?? error,
        (seen: unknown) => seen,
      ),
  };
}

async function readRefusal(
  error: unknown,
  { placement, inputs, coordinate }: WriteParts,
  values: PathIds,
  operation: Operation,
): Promise<readonly UserErrorShape[]> {
  const errors = fromRefusal(error, inputs.paths, isCancel(placement.action));
  if (errors === null) throw error;
  // Servers reject cancelling a finished action and an unknown one with the same message.
  const { show } = placement.resource.identity;
  if (show !== null && errors.some(({ code }) => code === 'NOT_CANCELLABLE')) {
    const call = { action: show, path: fillPlaceholders(show, values), input: {}, meta: {} };
    const reason = { reason: 'REFUSED_CANCEL', fields: [coordinate] } as const;
    await operation.calls.read(call, reason).catch((failure: unknown) => {
      if (isMissing(failure)) throw failure;
    });
  }
  return errors;
}

/** Creates the function that waits for the action of a response and builds the payload. */
function createPayloadBuilder({ metaNamespace, model }: Assembly, parts: WriteParts) {
  const { action, resource } = parts.placement;
  const stateIdentity = model.get(ACTION_STATE)?.identity;
  // Unknown values of an action state are fetched when they are selected.
  const createState = (id: string, state: JsonObject | null): Entity | null => {
    if (stateIdentity === undefined) return null;
    if (state !== null) return new Entity(stateIdentity, 'show', state);
    return new Entity(stateIdentity, 'association', { id: toInputId(stateIdentity, id) });
  };
  return async (
    result: ActionResult,
    values: PathIds,
    wait: number,
    { operation, actions }: SchemaContext,
  ): Promise<PayloadShape> => {
    const stateId = action.blocking ? readStateId(result) : null;
    const shouldWait = stateId !== null && wait > 0;
    // An error while waiting is ignored, because the API has accepted the write.
    const state = shouldWait
      ? await actions.wait(stateId, wait * 1000, operation.cost, operation.end.closing).catch(() => null)
      : null;
    const outcome = readOutcome(state);
    const hasFailed = outcome === 'FAILED';
    return {
      result: readResult(metaNamespace, parts, result, values),
      outcome,
      extraOutputs: isObject(result.output) ? result.output : {},
      deletedId: isDelete(action) && !hasFailed ? globalIdIn(resource.identity, values) : null,
      actionState: stateId === null ? null : createState(stateId, state),
      userErrors: state !== null && hasFailed && !isCancel(action) ? [fromFailedAction(state)] : [],
    };
  };
}

/** Reads the objects of a response. Those of the resource's type are known by their ids where they have no values. */
function readResult(
  metaNamespace: string,
  { placement: { resource, action }, kind }: WriteParts,
  { output, meta }: ActionResult,
  pathIds: PathIds,
): PayloadShape['result'] {
  const { identity } = resource;
  const toEntity = (row: JsonObject, rowMeta: unknown): Entity => {
    const { [metaNamespace]: ownMeta, ...values } = row;
    return kind === 'own'
      ? new Entity(identity, 'show', values, { pathIds })
      : new Entity(identity, 'row', values, { meta: ownMeta ?? rowMeta, pathIds });
  };
  if (returnsRows(action))
    return Array.isArray(output) ? output.map((row: JsonObject) => toEntity(row, null)) : null;
  return toEntity(isObject(output) ? output : {}, action.output.parameters.length > 0 ? meta : null);
}

const rejectedPayload = (userErrors: readonly UserErrorShape[]): PayloadShape => ({
  result: null,
  outcome: 'FAILED',
  extraOutputs: {},
  deletedId: null,
  actionState: null,
  userErrors,
});

function readWait(wait: unknown): number {
  if (wait === undefined || wait === null) return 0;
  if (typeof wait === 'number' && wait >= 0 && wait <= MAX_WAIT) return wait;
  throw new InvalidInputError(`"wait" must be a number of seconds from 0 to ${MAX_WAIT}.`);
}

/** Reads how an action ended. Before `finished` is true, `status: false` means that the action is being rolled back. */
function readOutcome(state: JsonObject | null): PayloadShape['outcome'] {
  if (state?.['finished'] !== true || typeof state['status'] !== 'boolean') return null;
  return state['status'] ? 'SUCCEEDED' : 'FAILED';
}

function readStateId({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && isPathValue(id) ? id : null;
}
