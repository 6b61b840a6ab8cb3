// Adds `Query.node` and `Query.nodes`.
import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Assembly } from '../assemble.ts';
import { isNode } from '../model/model.ts';
import { projectionFor } from '../resolve/projection.ts';
import type { IdReader } from '../types/ids.ts';

/** Maximum number of IDs in one `nodes` field. */
const MAX_NODES = 100;

/** Adds `Query.node` and `Query.nodes` if the caller may fetch any object by its ID. */
export function addNodeFields(assembly: Assembly): void {
  const { builder, types } = assembly;
  if (!types.resources.some(isNode)) return;
  builder.queryField('node', (t) =>
    t.field({
      type: types.node,
      description: 'Fetches an object by its global ID.',
      args: { id: t.arg.id({ required: true, description: 'The global ID of the object, e.g. `book/14`.' }) },
      resolve: (_root, { id }, { operation }, info) => loadNode(assembly.ids, id, operation, info),
    }),
  );
  builder.queryField('nodes', (t) =>
    t.field({
      type: [types.node],
      nullable: { list: true, items: true },
      description: `Fetches up to ${MAX_NODES} objects by their global IDs, in the order of \`ids\`. An object that cannot be fetched is null with an error.`,
      args: { ids: t.arg.idList({ required: true, description: 'The global IDs of the objects.' }) },
      resolve: async (_root, { ids: given }, { operation }, info) => {
        if (given.length > MAX_NODES)
          throw new InvalidInputError(`"ids" contains ${given.length} IDs; the maximum is ${MAX_NODES}.`);
        return loadEach(given, (id) => loadNode(assembly.ids, id, operation, info));
      },
    }),
  );
}

/**
 * Loads an object by its global ID.
 * @param typeName The type of the object. Default: any.
 * @throws InvalidInputError when the text is not a global ID of that type, or the caller cannot fetch objects of the type.
 */
export function loadNode(
  ids: IdReader,
  id: string,
  operation: Operation,
  info: GraphQLResolveInfo,
  typeName?: string,
): Promise<Entity> {
  const { resource, ids: objectIds } = ids.readGlobal(id, info.schema, typeName);
  return operation.read(resource.identity, objectIds, projectionFor(resource, info));
}

/** Loads objects for the items of a list. A failure takes the place of its object: GraphQL reports it as the error of that item. */
export async function loadEach<T>(
  given: readonly T[],
  load: (item: T) => Promise<Entity>,
): Promise<readonly (Entity | null)[]> {
  const loaded = await Promise.allSettled(given.map(async (item) => load(item)));
  return loaded.map((item) => (item.status === 'fulfilled' ? item.value : item.reason));
}
