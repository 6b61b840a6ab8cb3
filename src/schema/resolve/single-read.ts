// Resolves reads that return one object, or a list without paging.
import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { checkIds, type Ids, type PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing } from '../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { fillPlaceholders } from '../types/ids.ts';
import type { Projection } from './projection.ts';
import { RowReader } from './row-reader.ts';
import { coordinateOf } from './selection.ts';

type Call<T> = (values: PathIds, input: JsonObject, operation: Operation, info: GraphQLResolveInfo) => T;

/** Reads one object, or a list without paging. */
export interface SingleRead {
  readonly read: Call<Promise<Entity | readonly Entity[] | null>>;
  /** Begins to read before the field is resolved that asks for it. @throws as `read` does, for its arguments. */
  readonly begin: Call<void>;
}

/** Loads an object with the operation's loader. */
export function readById({ sources }: Assembly, resource: ResourceModel): SingleRead {
  const { placeholders } = resource.identity;
  const idsOf = (values: PathIds): Ids =>
    checkIds(placeholders.map((placeholder) => values.get(placeholder) ?? ''));
  return {
    read: async (values, _input, operation, info) => sources.load(resource, idsOf(values), operation, info),
    begin: (values, _input, operation, info) => sources.prefetch(resource, idsOf(values), operation, info),
  };
}

/** Calls the action for each field and reads its output as objects. */
export function readByCall(assembly: Assembly, resource: ResourceModel, action: Action): SingleRead {
  const rows = new RowReader(assembly, resource, action);
  const createCall = (
    values: PathIds,
    input: JsonObject,
    projection: Projection | null,
    info: GraphQLResolveInfo,
  ) => {
    const includes = rows.includes(projection).join(',');
    const path = fillPlaceholders(action, values);
    const call = { action, path, input, meta: includes === '' ? {} : { includes } };
    const needs = projection && { includes: projection.needs };
    return { call, reason: { reason: 'READ', fields: [coordinateOf(info)], ...needs } as const };
  };
  return {
    async read(values, input, operation, info) {
      const projection = rows.projectionFor(info);
      const { call, reason } = createCall(values, input, projection, info);
      const { output, meta, lacksIncludes } = await operation.calls.read(call, reason);
      if (lacksIncludes) operation.warn('INCLUDES_UNAVAILABLE', coordinateOf(info));
      const isSingle = isObject(output);
      const objects = isSingle ? [output] : (output ?? []);
      const source = { pathIds: values, meta: isSingle ? meta : undefined };
      const entities = await rows.readAll(objects, source, projection, operation);
      return isSingle ? (entities[0] ?? null) : entities;
    },
    begin(values, input, operation, info) {
      const projection = rows.projectionFor(info);
      const { call, reason } = createCall(values, input, projection, info);
      operation.calls.read(call, { isEarly: true, ...reason }).catch(() => undefined);
    },
  };
}

/** Wraps a read so that a missing object is null instead of an error. */
export const nullIfMissing = ({ read, begin }: SingleRead): SingleRead => ({
  begin,
  read: (...call) =>
    read(...call).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    }),
});
