import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { CameBy } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { isSameType, type ResourceModel } from '../model/model.ts';
import { type Demand, isLacking } from './demand.ts';

/** Makes objects of an action's answer, and fetches what the selection needs beyond it. */
export interface RowReader {
  /** What the selection needs of the objects; null where they are no objects of a resource. */
  demand(info: GraphQLResolveInfo, operation: Operation): Demand | null;
  /** The same below given nodes, e.g. those of a connection's rows. */
  demandBelow(nodes: readonly FieldNode[], info: GraphQLResolveInfo): Demand | null;
  /** The associations to ask for with the answer. */
  includes(demand: Demand | null): readonly string[];
  /** @param meta The object's own metadata; rows carry theirs themselves. */
  read(row: JsonObject, cameBy: CameBy, meta?: unknown): Entity;
  complete(entities: readonly Entity[], demand: Demand | null, operation: Operation): Promise<void>;
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
    demand: (info, operation) => (fits ? sources.demandOf(resource, info, operation) : null),
    demandBelow: (nodes, info) => (fits ? sources.demandBelow(resource, nodes, info) : null),
    includes: (demand) => (offersIncludes && demand !== null ? [...new Set(demand.includes)].sort() : []),
    read(row, cameBy, meta) {
      const { [metaNamespace]: rowMeta, ...told } = row;
      const values =
        foreign.length === 0
          ? told
          : Object.fromEntries(Object.entries(told).filter(([key]) => !foreign.includes(key)));
      return new Entity(resource.identity, source, values, { meta: meta ?? rowMeta, cameBy });
    },
    async complete(entities, demand, operation) {
      if (demand === null) return;
      for (const entity of entities) operation.prime(entity);
      await Promise.all(
        entities
          .filter((entity) => isLacking(entity, demand))
          .map((entity) => operation.complete(entity, demand)),
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
