// Resolves reads that return one object, or a list without paging.
import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { checkIds, type PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing } from '../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { fillPlaceholders } from '../types/ids.ts';
import { RowReader } from './projection.ts';
import { coordinateOf } from './selection.ts';

/** Reads one object, or a list without paging. */
export type SingleRead = (
  values: PathIds,
  input: JsonObject,
  operation: Operation,
  info: GraphQLResolveInfo,
) => Promise<Entity | readonly Entity[] | null>;

/** Loads an object with the operation's loader. */
export function readById({ sources }: Assembly, resource: ResourceModel): SingleRead {
  const { placeholders } = resource.identity;
  return async (values, _input, operation, info) => {
    const ids = checkIds(placeholders.map((placeholder) => values.get(placeholder) ?? ''));
    return sources.load(resource, ids, operation, info);
  };
}

/** Calls the action for each field and reads its output as objects. */
export function readByCall(assembly: Assembly, resource: ResourceModel, action: Action): SingleRead {
  const rows = new RowReader(assembly, resource, action);
  return async (values, input, operation, info) => {
    const projection = rows.projectionFor(info);
    const coordinate = coordinateOf(info);
    const includes = rows.includes(projection).join(',');
    const path = fillPlaceholders(action, values);
    const call = { action, path, input, meta: includes === '' ? {} : { includes } };
    const needs = projection && { includes: projection.needs };
    const reason = { reason: 'READ', fields: [coordinate], ...needs } as const;
    const { output, meta, lacksIncludes } = await operation.calls.read(call, reason);
    if (lacksIncludes) operation.warn('INCLUDES_UNAVAILABLE', coordinate);
    const isSingle = isObject(output);
    const objects = isSingle ? [output] : (output ?? []);
    const source = { pathIds: values, meta: isSingle ? meta : undefined };
    const entities = await rows.readAll(objects, source, projection, operation);
    return isSingle ? (entities[0] ?? null) : entities;
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
