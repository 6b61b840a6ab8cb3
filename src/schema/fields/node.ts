import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { Assembly } from '../assembly.ts';

/** Objects that `nodes` fetches at once. */
const MAX_NODES = 100;

/** Adds `Query.node` and `Query.nodes`, where the caller may fetch any object by its id. */
export function addNodeFields({ builder, types, ids, sources }: Assembly): void {
  if (!types.resources.some(({ identity }) => identity.show !== null)) return;
  const load = async (id: string, operation: Operation, info: GraphQLResolveInfo): Promise<Entity | null> => {
    const { resource, ids: own } = ids.readGlobal(id);
    const { identity } = resource;
    const projection = sources.projectionFor(resource, info, operation);
    const shown = await operation.loader(identity)?.load(own, projection);
    if (shown === undefined) return null;
    return new Entity(identity, 'show', shown.values, {
      meta: shown.meta,
      pathIds: pathIdsOf(identity, own),
    });
  };
  builder.queryField('node', (t) =>
    t.field({
      type: types.node,
      description: 'An object by its global id.',
      args: { id: t.arg.id({ required: true, description: 'Global only, e.g. `book/14`.' }) },
      resolve: (_root, { id }, { operation }, info) => load(id, operation, info),
    }),
  );
  builder.queryField('nodes', (t) =>
    t.field({
      type: [types.node],
      nullable: { list: true, items: true },
      description: `Objects by their global ids, in the same order; null with an error for each that cannot be had. At most ${MAX_NODES}.`,
      args: { ids: t.arg.idList({ required: true }) },
      resolve: async (_root, { ids: given }, { operation }, info) => {
        if (given.length > MAX_NODES) {
          throw new InvalidInputError(
            `"ids" holds ${given.length} ids; at most ${MAX_NODES} can be asked for at once.`,
          );
        }
        // An error in the place of an item is that item's own error.
        return (await Promise.all(
          given.map((id) => load(id, operation, info).catch((error: unknown) => error)),
        )) as (Entity | null)[];
      },
    }),
  );
}
