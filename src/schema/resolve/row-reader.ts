// Converts the output of an action to entities and completes them.

import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { isSameType, type ResourceModel } from '../model/model.ts';
import { needsFetch, type Projection } from './projection.ts';

/** Converts the output of one action to entities, and fetches selected values that the output does not contain. */
export interface RowReader {
  /** Returns what the selection needs. Null if the output is not an object of the resource. */
  projectionFor(info: GraphQLResolveInfo, operation: Operation): Projection | null;
  /** Returns what the selection of field nodes needs, e.g. of those of a connection's rows. */
  projectionBelow(nodes: readonly FieldNode[], info: GraphQLResolveInfo): Projection | null;
  /** Returns the associations to include in the response. */
  includes(projection: Projection | null): readonly string[];
  /**
   * Converts one object of the output.
   * @param meta Metadata of the response. Rows of a list contain their own metadata.
   */
  read(row: JsonObject, pathIds: PathIds, meta?: unknown): Entity;
  /** Fetches the missing parts of entities. */
  complete(entities: readonly Entity[], projection: Projection | null, operation: Operation): Promise<void>;
}

/** Creates the reader for the output of an action. */
export function createRowReader(
  { types, sources, metaNamespace }: Pick<Assembly, 'types' | 'sources' | 'metaNamespace'>,
  resource: ResourceModel,
  action: Action,
): RowReader {
  const fits = types.fits(resource, action);
  const source: EntitySource = action.name === 'show' || !fits ? 'show' : 'row';
  const otherTyped = source === 'row' ? otherTypedParameters(resource, action) : [];
  const supportsIncludes = action.metaInput.has('includes');
  return {
    projectionFor: (info, operation) => (fits ? sources.projectionFor(resource, info, operation) : null),
    projectionBelow: (nodes, info) => (fits ? sources.projectionBelow(resource, nodes, info) : null),
    includes: (projection) =>
      supportsIncludes && projection !== null ? [...new Set(projection.includes)].sort() : [],
    read(row, pathIds, meta) {
      const { [metaNamespace]: rowMeta, ...output } = row;
      const values =
        otherTyped.length === 0
          ? output
          : Object.fromEntries(Object.entries(output).filter(([key]) => !otherTyped.includes(key)));
      return new Entity(resource.identity, source, values, { meta: meta ?? rowMeta, pathIds });
    },
    async complete(entities, projection, operation) {
      if (projection === null) return;
      for (const entity of entities) operation.prime(entity);
      await Promise.all(
        entities
          .filter((entity) => needsFetch(entity, projection))
          .map((entity) => operation.complete(entity, projection)),
      );
    },
  };
}

/** Returns the output parameters whose type differs from the resource's. Their values are ignored, so that `show` supplies them. */
function otherTypedParameters(resource: ResourceModel, action: Action): readonly string[] {
  return action.output.parameters
    .filter((parameter) => !isSameType(parameter, resource.parameters.get(parameter.name) ?? parameter))
    .map(({ name }) => name);
}
