// Serves a subgraph of Apollo Federation: its SDL, and objects by their global IDs.
import { GraphQLScalarType } from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { ExtensionParts, SchemaExtension } from '../../schema/builder.ts';
import { loadEach, loadNode } from '../../schema/fields/node.ts';
import { isNode } from '../../schema/model/model.ts';
import { MAX_FIRST } from '../../schema/resolve/page-reader.ts';
import { isObject } from '../../upstream/json.ts';
import { FEDERATION_NAMES, subgraphSDL } from './subgraph-sdl.ts';

/** Estimated cost of the SDL, so that one operation cannot ask for it many times. Introspection of the schema costs more. */
const SDL_COST = 1000;

/** Adds `Query._service`, and `Query._entities` if the caller may fetch any object by its ID. */
export const FEDERATION: SchemaExtension = {
  names: FEDERATION_NAMES,
  add(parts) {
    addService(parts);
    addEntities(parts);
  },
};

function addService({ builder }: ExtensionParts): void {
  const service = builder.objectRef<object>('_Service').implement({
    description: 'This API as a subgraph of Apollo Federation.',
    fields: (t) => ({
      sdl: t.string({
        nullable: false,
        description:
          'The schema of the caller in the schema definition language, with the directives of Apollo Federation.',
        extensions: { cost: SDL_COST },
        resolve: (_service, _args, _context, { schema }) => subgraphSDL(schema),
      }),
    }),
  });
  builder.queryField('_service', (t) =>
    t.field({
      type: service,
      nullable: false,
      description: 'Describes this API for the composition of a supergraph.',
      resolve: () => ({}),
    }),
  );
}

function addEntities(parts: ExtensionParts): void {
  const { builder, types } = parts;
  const members = types.resources.flatMap((resource) => {
    const type = isNode(resource) ? types.typeFor(resource) : null;
    return type === null ? [] : [type.ref];
  });
  if (members.length === 0) return;
  const representation = builder.addScalarType(
    // The types of the builder list only the scalars of every schema.
    '_Any' as 'JSON',
    new GraphQLScalarType<unknown, unknown>({
      name: '_Any',
      description: 'The type of an object, as `__typename`, and its key: the global ID, as `id`.',
    }),
  );
  const entity = builder.unionType('_Entity', {
    description: 'An object that other subgraphs can refer to.',
    types: members,
    resolveType: types.typeNameOf,
  });
  builder.queryField('_entities', (t) =>
    t.field({
      type: [entity],
      nullable: { list: false, items: true },
      description: `Fetches up to ${MAX_FIRST} objects to which other subgraphs refer, in the order of \`representations\`. An object that cannot be fetched is null with an error.`,
      args: {
        representations: t.arg({
          type: [representation],
          required: true,
          description:
            'The type and the global ID of each object, e.g. `{ __typename: "Book", id: "book/14" }`.',
        }),
      },
      resolve: (_root, { representations: given }, { operation }, info) => {
        if (given.length > MAX_FIRST)
          throw new InvalidInputError(
            `"representations" contains ${given.length} objects; the maximum is ${MAX_FIRST}.`,
          );
        return loadEach(given, (one) => {
          const { typeName, id } = readRepresentation(one);
          return loadNode(parts, id, operation, info, typeName);
        });
      },
    }),
  );
}

/** @throws InvalidInputError when a representation is not the type and the global ID of an object. */
function readRepresentation(representation: unknown): { readonly typeName: string; readonly id: string } {
  const { __typename: typeName, id } = isObject(representation) ? representation : {};
  if (typeof typeName === 'string' && typeof id === 'string') return { typeName, id };
  throw new InvalidInputError('A representation needs "__typename" and "id", and both must be strings.');
}
