// Resolves mutations: calls a write, reads its result from the response, and builds its payload.
import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import {
  globalIdIn,
  idsOf,
  nearestIdIn,
  type PathIds,
  pathIdsOf,
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
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { returnsRows } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { isCancel, isDelete, type Placement } from '../model/placement.ts';
import { fillPlaceholders, type PathArguments } from '../types/ids.ts';
import type { Inputs } from '../types/inputs.ts';
import type { PayloadShape } from '../types/payloads.ts';
import type { FailureExplainer } from './failure-reasons.ts';
import { fromFailures, fromRefusal, type UserErrorShape } from './field-errors.ts';
import { lacksLabel, needsFetch } from './projection.ts';

/** Maximum wait for a blocking action, in seconds: shorter than the idle timeouts of common proxies. */
export const MAX_WAIT = 55;

/** Everything about a write that is known at assembly. */
export interface WriteParts {
  readonly placement: Placement;
  /** Coordinate of the mutation, e.g. `Mutation.bookCreate`. */
  readonly coordinate: string;
  readonly path: PathArguments;
  readonly inputs: Inputs;
  readonly kind: ResultKind;
  readonly explainFailure: FailureExplainer;
}

/** One write. */
export class Write {
  readonly #assembly: Pick<Assembly, 'model' | 'metaNamespace'>;
  readonly #parts: WriteParts;
  readonly #isDelete: boolean;
  readonly #readResults: ResultReader;

  constructor(assembly: Pick<Assembly, 'model' | 'metaNamespace'>, parts: WriteParts) {
    this.#assembly = assembly;
    this.#parts = parts;
    const { placement, kind } = parts;
    this.#isDelete = isDelete(placement.action);
    this.#readResults = createResultReader(assembly.metaNamespace, placement, kind);
  }

  /** Checks the input by the described rules, calls the action once, and waits for it if the client requests it. */
  async run(given: JsonObject, context: SchemaContext): Promise<PayloadShape> {
    const { placement, path, inputs } = this.#parts;
    const { action } = placement;
    const wait = readWait(given['wait']);
    const values = path.read(given);
    const input = inputs.toUpstream(isObject(given['input']) ? given['input'] : {});
    const failures = inputs.failuresOf(input, context.operation.matchBudget);
    if (failures.length > 0) {
      const texts = await context.session.loadTexts();
      return rejectedPayload(fromFailures(failures, inputs.paths, texts?.messageOf));
    }
    const call = { action, path: fillPlaceholders(action, values), input, meta: {} };
    const { operation } = context;
    let refusal: Promise<readonly UserErrorShape[]> | null = null;
    // The audit and the client get what is found out once.
    const readRefusal = (error: unknown) => {
      refusal ??= this.#readRefusal(error, values, operation);
      return refusal;
    };
    const response = await operation.calls
      .write(call, this.#subjectOf(values, readRefusal))
      .catch(readRefusal);
    if (Array.isArray(response)) return rejectedPayload(response);
    return this.#buildPayload(response as ActionResult, values, wait, context);
  }

  #subjectOf(
    values: PathIds,
    readRefusal: (error: unknown) => Promise<readonly UserErrorShape[]>,
  ): WriteSubject {
    const { placement, kind, coordinate } = this.#parts;
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
        readRefusal(error).then(
          ([first]) => first?.code ?? error,
          (seen: unknown) => seen,
        ),
    };
  }

  /** @throws The error if it is not a refusal of the input or of the object's state. */
  async #readRefusal(
    error: unknown,
    values: PathIds,
    operation: Operation,
  ): Promise<readonly UserErrorShape[]> {
    const { placement, inputs } = this.#parts;
    const errors = fromRefusal(error, inputs.paths, isCancel(placement.action));
    if (errors === null) throw error;
    // Servers reject cancelling a finished action and an unknown one with the same message.
    const { show } = placement.resource.identity;
    if (show !== null && errors.some(({ code }) => code === 'NOT_CANCELLABLE')) {
      const call = { action: show, path: fillPlaceholders(show, values), input: {}, meta: {} };
      const reason = { reason: 'REFUSED_CANCEL', fields: [this.#parts.coordinate] } as const;
      await operation.calls.read(call, reason).catch((failure: unknown) => {
        if (isMissing(failure)) throw failure;
      });
    }
    return errors;
  }

  async #buildPayload(
    result: ActionResult,
    values: PathIds,
    wait: number,
    { operation, actions }: SchemaContext,
  ): Promise<PayloadShape> {
    const { placement, explainFailure } = this.#parts;
    const { action } = placement;
    const stateId = action.blocking ? readStateId(result) : null;
    const shouldWait = stateId !== null && wait > 0;
    // An error while waiting is ignored, because the API has accepted the write. Unknown values are fetched when they are selected.
    const state = shouldWait
      ? await actions.wait(stateId, wait * 1000, operation.cost, operation.end.closing).catch(() => null)
      : null;
    if (state !== null) operation.reset();
    const outcome = readOutcome(state);
    const hasFailed = outcome === 'FAILED';
    return {
      result: this.#readResults({ result, values, outcome }),
      extraOutputs: isObject(result.output) ? result.output : {},
      deletedId: this.#isDelete && !hasFailed ? globalIdIn(placement.resource.identity, values) : null,
      actionState: stateId === null ? null : this.#createStateEntity(stateId, state),
      userErrors:
        state !== null && hasFailed && !isCancel(placement.action)
          ? [await explainFailure(state, operation)]
          : [],
    };
  }

  /** Creates the entity of an action state. Unknown values are fetched when they are selected. */
  #createStateEntity(id: string, state: JsonObject | null): Entity | null {
    const identity = this.#assembly.model.get(ACTION_STATE)?.identity;
    if (identity === undefined) return null;
    if (state !== null) return new Entity(identity, 'show', state);
    return new Entity(identity, 'association', { id: toInputId(identity, id) });
  }
}

const rejectedPayload = (userErrors: readonly UserErrorShape[]): PayloadShape => ({
  result: null,
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
function readOutcome(state: JsonObject | null): ActionOutcome {
  if (state?.['finished'] !== true || typeof state['status'] !== 'boolean') return null;
  return state['status'] ? 'SUCCEEDED' : 'FAILED';
}

function readStateId({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && isPathValue(id) ? id : null;
}

/** How a blocking action ended. Null if it is still running, if the write did not wait, or if the action does not block. */
export type ActionOutcome = 'SUCCEEDED' | 'FAILED' | null;

/** The kind of a payload's result: objects of the resource's type, objects of the action's output type, or none. */
export type ResultKind = 'resource' | 'own' | 'none';

/** One object in a payload. */
export type Result =
  /** The object in the response. Selected values that it does not contain are fetched. */
  | { readonly kind: 'returned'; readonly entity: Entity }
  /** An object with a reliable ID and no reliable values: the response contains only the ID, or precedes the end of the action. */
  | { readonly kind: 'byId'; readonly entity: Entity; readonly outcome: ActionOutcome }
  /** The write succeeded, but the response contains neither the object nor its ID. */
  | { readonly kind: 'missing' };

/** The result of a payload: one object or a list. Null if there is no result. */
export type Results = Result | readonly (Result | null)[] | null;

/** The response to a write and the path to which the write was sent. */
export interface WriteResponse {
  readonly result: ActionResult;
  /** Values of the path's placeholders. */
  readonly values: PathIds;
  readonly outcome: ActionOutcome;
}

const MISSING: Result = { kind: 'missing' };

/** Reads the result of a write. */
type ResultReader = (response: WriteResponse) => Results;

/**
 * Makes what reads the results of an action. If the response precedes the end of a blocking action, an object of the resource's type is
 * fetched again. If it cannot be fetched, the payload contains it after a success but not after a failure.
 */
function createResultReader(
  metaNamespace: string,
  { resource: { identity }, action }: Placement,
  kind: ResultKind,
): ResultReader {
  if (kind === 'none') return () => null;
  const isList = returnsRows(action);
  const hasOutput = action.output.parameters.length > 0;
  const read = (
    row: JsonObject,
    rowMeta: unknown,
    { values: pathIds, outcome }: WriteResponse,
  ): Result | null => {
    const noObject = outcome === 'FAILED' ? null : MISSING;
    const { [metaNamespace]: ownMeta, ...values } = row;
    const isEmpty = Object.keys(values).length === 0;
    if (kind === 'own') {
      return isEmpty
        ? noObject
        : { kind: 'returned', entity: new Entity(identity, 'show', values, { pathIds }) };
    }
    const entity = new Entity(identity, 'row', values, { meta: ownMeta ?? rowMeta, pathIds });
    const { ids } = entity;
    if (ids !== null && identity.show !== null && (isEmpty || outcome !== null)) {
      return {
        kind: 'byId',
        entity: new Entity(identity, 'association', {}, { pathIds: pathIdsOf(identity, ids) }),
        outcome,
      };
    }
    return isEmpty || outcome === 'FAILED' ? noObject : { kind: 'returned', entity };
  };
  return (response) => {
    const { output, meta } = response.result;
    if (!isList) return read(isObject(output) ? output : {}, hasOutput ? meta : null, response);
    if (Array.isArray(output)) return output.map((row: JsonObject) => read(row, null, response));
    return response.outcome === 'FAILED' ? null : MISSING;
  };
}

/** The payload field of a result. */
export interface ResultPlace {
  readonly resource: ResourceModel;
  readonly kind: ResultKind;
  /** Schema coordinate of the field, e.g. `BookCreatePayload.book`. */
  readonly coordinate: string;
}

/**
 * Resolves one result and fetches its selected values. Returns null if there is no object, with the warning RESULT_MISSING if
 * the response does not identify it.
 * @throws OptiongraphError when the action failed and the object cannot be read, because the object may not exist.
 */
export async function showResult(
  { sources }: Pick<Assembly, 'sources'>,
  result: Result | null,
  { resource, kind, coordinate }: ResultPlace,
  operation: Operation,
  info: GraphQLResolveInfo,
): Promise<Entity | null> {
  if (result === null) return null;
  if (result.kind === 'missing') {
    operation.warn('RESULT_MISSING', coordinate);
    return null;
  }
  const { entity } = result;
  if (kind === 'own') return entity;
  const projection = sources.projectionFor(resource, info);
  const isIncomplete = needsFetch(entity, projection) || lacksLabel(entity, projection);
  if (result.kind === 'returned') {
    if (isIncomplete) await operation.complete(entity, projection);
    return entity;
  }
  if (result.outcome === null && !isIncomplete) return entity;
  try {
    return await operation.reload(entity, projection);
  } catch (error) {
    if (result.outcome === 'FAILED') throw error;
    entity.fail(error);
    return entity;
  }
}
