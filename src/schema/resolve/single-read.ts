// Resolves reads of one object, or of a list without paging.
import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { checkIds, type PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing } from '../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { ResourceModel } from '../model/model.ts';
import { fillPlaceholders } from '../types/ids.ts';
import { createOutputReader } from './output-reader.ts';
import { needsFetchOrLabel, projectionFor } from './projection.ts';

/** Reads one object, or a list without paging. */
type SingleRead = (
  values: PathIds,
  input: JsonObject,
  operation: Operation,
  info: GraphQLResolveInfo,
) => Promise<Entity | readonly Entity[] | null>;

/** Loads an object with the operation's loader, which fetches each object once. */
export function readById(resource: ResourceModel): SingleRead {
  const { identity } = resource;
  return (values, _input, operation, info) => {
    const ids = checkIds(identity.placeholders.map((placeholder) => values.get(placeholder) ?? ''));
    return operation.read(identity, ids, projectionFor(resource, info));
  };
}

/** Calls the action for each field and reads its output as objects. */
export function readByCall(assembly: Assembly, resource: ResourceModel, action: Action): SingleRead {
  const reader = createOutputReader(assembly, resource, action, 'READ');
  return async (values, input, operation, info) => {
    const { coordinate, projection, includes, reason } = reader.needsOf(info);
    const path = fillPlaceholders(action, values);
    const call = { action, path, input, meta: includes.length === 0 ? {} : { includes: includes.join(',') } };
    const { output, meta, lacksIncludes } = await operation.calls.read(call, reason);
    if (lacksIncludes) operation.warn('INCLUDES_UNAVAILABLE', coordinate);
    if (!isObject(output)) return reader.read(output ?? [], values, projection, operation);
    const [entity = null] = await reader.read([output], values, projection, operation, meta);
    return entity;
  };
}

/** Wraps a read so that a missing object is null instead of an error. */
export const nullIfMissing =
  (read: SingleRead): SingleRead =>
  (...call) =>
    read(...call).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });

/**
 * Reads the selected values of an object when only its ids are known. An id needs no call. Null if the object does not exist;
 * another failure is an error of the values.
 * @param end How the write ended after which the object is read. It is then read again in any case, and may not exist after a failure.
 */
export async function readObject(
  target: ResourceModel,
  pathIds: PathIds,
  operation: Operation,
  info: GraphQLResolveInfo,
  end: 'SUCCEEDED' | 'FAILED' | null = null,
): Promise<Entity | null> {
  const object = new Entity(target.identity, 'association', {}, { pathIds });
  const projection = projectionFor(target, info);
  if (end === null && !needsFetchOrLabel(object, projection)) return object;
  try {
    return await operation.reload(object, projection);
  } catch (error) {
    if (end === 'FAILED') throw error;
    object.fail(error);
    return object;
  }
}
