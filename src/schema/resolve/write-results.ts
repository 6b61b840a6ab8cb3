// Reads the objects in the response to a write, and resolves them in payloads.
import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import { returnsRows } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { lacksLabel, needsFetch } from './projection.ts';

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
export type ResultReader = (response: WriteResponse) => Results;

/**
 * Makes what reads the results of an action. If the response precedes the end of a blocking action, an object of the resource's type is
 * fetched again. If it cannot be fetched, the payload contains it after a success but not after a failure.
 */
export function createResultReader(
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
  { sources }: Assembly,
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
