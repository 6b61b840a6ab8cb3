import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { isSameType, type ResourceModel } from '../model/model.ts';
import { needsFetch, type Projection } from './projection.ts';

/** Makes objects of an action's answer, and fetches what the selection needs beyond it. */
export interface RowReader {
  /** What the selection needs of the objects; null where they are no objects of a resource. */
  projectionFor(info: GraphQLResolveInfo, operation: Operation): Projection | null;
  /** The same below given nodes, e.g. those of a connection's rows. */
  projectionBelow(nodes: readonly FieldNode[], info: GraphQLResolveInfo): Projection | null;
  /** The associations to ask for with the answer. */
  includes(projection: Projection | null): readonly string[];
  /** @param meta The object's own metadata; rows carry theirs themselves. */
  read(row: JsonObject, pathIds: PathIds, meta?: unknown): Entity;
  complete(entities: readonly Entity[], projection: Projection | null, operation: Operation): Promise<void>;
}

/** The reader of an action's answers. */
export function createRowReader(
  { types, sources, metaNamespace }: Pick<Assembly, 'types' | 'sources' | 'metaNamespace'>,
  resource: ResourceModel,
  action: Action,
): RowReader {
  const fits = types.fits(resource, action);
  const source: EntitySource = action.name === 'show' || !fits ? 'show' : 'row';
  const foreign = source === 'row' ? foreignKeys(resource, action) : [];
  const offersIncludes = action.metaInput.has('includes');
  return {
    projectionFor: (info, operation) => (fits ? sources.projectionFor(resource, info, operation) : null),
    projectionBelow: (nodes, info) => (fits ? sources.projectionBelow(resource, nodes, info) : null),
    includes: (projection) =>
      offersIncludes && projection !== null ? [...new Set(projection.includes)].sort() : [],
    read(row, pathIds, meta) {
      const { [metaNamespace]: rowMeta, ...told } = row;
      const values =
        foreign.length === 0
          ? told
          : Object.fromEntries(Object.entries(told).filter(([key]) => !foreign.includes(key)));
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

/** What a list tells in another type than its resource has: it is no value of the field, so `show` is asked for it. */
function foreignKeys(resource: ResourceModel, action: Action): readonly string[] {
  return action.output.parameters
    .filter((parameter) => !isSameType(parameter, resource.parameters.get(parameter.name) ?? parameter))
    .map(({ name }) => name);
}
