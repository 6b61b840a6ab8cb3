// Resolves reads that return one object, or a list without paging.

import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { checkIds, type PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing } from '../../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { fillPlaceholders } from './fill-path.ts';
import { RowReader } from './row-reader.ts';
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
    const includes = rows.includes(projection).join(',');
    const path = fillPlaceholders(action, values);
    const meta = includes === '' ? {} : { includes };
    const result = await operation.readFor(coordinateOf(info))({ action, path, input, meta });
    const { output } = result;
    const entities = isObject(output)
      ? [rows.read(output, values, result.meta)]
      : (output ?? []).map((row) => rows.read(row, values));
    await rows.complete(entities, projection, operation);
    return isObject(output) ? (entities[0] ?? null) : entities;
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
