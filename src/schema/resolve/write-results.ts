import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { answersList } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { needsFetch } from './projection.ts';

/** How a blocking action ended; null while it runs on, where nobody waited for it, and for actions that do not block. */
export type Ending = 'SUCCEEDED' | 'FAILED' | null;

/** What a payload's result is: objects of the resource's type, of the action's own, or nothing. */
export type ResultKind = 'resource' | 'own' | 'none';

/** One object that a payload shows. */
export type Result =
  /** As the write answered it; what is selected beyond it is fetched. */
  | { readonly kind: 'answered'; readonly entity: Entity }
  /** Only its ids are known to be right: the write answered nothing else, or before the action ended. */
  | { readonly kind: 'byId'; readonly entity: Entity; readonly ending: Ending }
  /** The write succeeded, and its answer says neither what the object is nor which one. */
  | { readonly kind: 'missing' };

/** The result of a whole payload: one object, or a list. Null: there is none to show. */
export type Results = Result | readonly (Result | null)[] | null;

/** What a write answered, and where it was sent. */
export interface Answered {
  readonly result: ActionResult;
  /** Values of the path's placeholders. */
  readonly values: PathIds;
  readonly ending: Ending;
}

const MISSING: Result = { kind: 'missing' };

/**
 * Finds what the payload of a write shows. An object of the resource's type that was answered before its action ended is read
 * anew; where that is impossible, it is shown after a success and not after a failure.
 */
export function resultsOf(
  { metaNamespace }: Pick<Assembly, 'metaNamespace'>,
  { resource: { identity }, action }: Placement,
  kind: ResultKind,
  { result: { output, meta }, values: pathIds, ending }: Answered,
): Results {
  if (kind === 'none') return null;
  const nothing = ending === 'FAILED' ? null : MISSING;
  const read = (row: JsonObject, rowMeta: unknown): Result | null => {
    const { [metaNamespace]: own, ...values } = row;
    const isEmpty = Object.keys(values).length === 0;
    if (kind === 'own') {
      return isEmpty
        ? nothing
        : { kind: 'answered', entity: new Entity(identity, 'show', values, { pathIds }) };
    }
    const entity = new Entity(identity, 'row', values, { meta: own ?? rowMeta, pathIds });
    if (entity.ids !== null && identity.show !== null && (isEmpty || ending !== null)) {
      const ids = pathIdsOf(identity, entity.ids);
      return { kind: 'byId', entity: new Entity(identity, 'association', {}, { pathIds: ids }), ending };
    }
    return isEmpty || ending === 'FAILED' ? nothing : { kind: 'answered', entity };
  };
  const isDescribed = action.output.parameters.length > 0;
  if (isDescribed && answersList(action)) {
    return Array.isArray(output) ? output.map((row: JsonObject) => read(row, null)) : nothing;
  }
  return read(isObject(output) ? output : {}, isDescribed ? meta : null);
}

/** Where a result is shown. */
export interface ResultPlace {
  readonly resource: ResourceModel;
  readonly kind: ResultKind;
  /** Coordinate of the payload's field, e.g. `BookCreatePayload.book`. */
  readonly coordinate: string;
}

/**
 * Makes one result the object that clients see, with what is selected of it. Null when it is gone, and, with the warning
 * RESULT_MISSING, when the write did not answer it.
 * @throws UpstreamError when the action failed and the object cannot be read: its id alone would say that it is there.
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
  const projection = sources.projectionFor(resource, info, operation);
  if (result.kind === 'answered') {
    if (needsFetch(entity, projection)) await operation.complete(entity, projection);
    return entity;
  }
  if (result.ending === null && !needsFetch(entity, projection)) return entity;
  try {
    return await operation.reload(entity, projection);
  } catch (error) {
    if (result.ending === 'FAILED') throw error;
    entity.fail(error);
    return entity;
  }
}
