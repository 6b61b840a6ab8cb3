// Serves a subgraph of Apollo Federation: its SDL, and objects by their global IDs.
import { getDocumentNodeFromSchema, makeDirectiveNode } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isUnionType,
  Kind,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { ExtensionParts, SchemaExtension } from '../../schema/builder.ts';
import { DEFER, LIVE, STREAM } from '../../schema/directives.ts';
import { loadEach, loadNode } from '../../schema/fields/node.ts';
import { isNode } from '../../schema/model/model.ts';
import { printDocument } from '../../schema/print-schema.ts';
import { MAX_FIRST } from '../../schema/resolve/page-reader.ts';
import { isObject } from '../../upstream/json.ts';

/** Estimated cost of the SDL, so that one operation cannot ask for it many times. Introspection of the schema costs more. */
const SDL_COST = 1000;

/** The names of what only routers use. The SDL does not contain it. */
const FEDERATION_NAMES = {
  types: ['_Any', '_Entity', '_Service'],
  queries: ['_entities', '_service'],
  mutations: [],
};

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
          return loadNode(parts.ids, id, operation, info, typeName);
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

/** The versions are the lowest that define the directives, so that old tools can compose the SDL too. */
const LINKS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.1", import: ["@composeDirective", "@key", "@shareable"])
  @link(url: "https://specs.apollo.dev/nullability/v0.4", import: ["@semanticNonNull"])
  @composeDirective(name: "@semanticNonNull")

`;

/** Routers deliver results in parts by themselves. */
const OMITTED_DIRECTIVES = [DEFER.name, STREAM.name, LIVE.name];
/** The object types whose fields have the same values in all subgraphs that return an object of them. */
const SHAREABLE_TYPES = ['CallerSession', 'PageInfo', 'UserError'];

const printed = new WeakMap<GraphQLSchema, string>();

/** Returns the SDL of a schema that was assembled for federation. It is printed once for each schema. */
export function subgraphSDL(schema: GraphQLSchema): string {
  const sdl = printed.get(schema) ?? printSubgraph(schema);
  printed.set(schema, sdl);
  return sdl;
}

function printSubgraph(schema: GraphQLSchema): string {
  const document = getDocumentNodeFromSchema(schema);
  const definitions = document.definitions
    .filter((node) => !isOmitted(node))
    .map((node) => (node.kind === Kind.OBJECT_TYPE_DEFINITION ? toSubgraphType(node, schema) : node));
  return `${LINKS}${printDocument({ ...document, definitions })}\n`;
}

function isOmitted(node: DefinitionNode): boolean {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) return OMITTED_DIRECTIVES.includes(node.name.value);
  return 'name' in node && FEDERATION_NAMES.types.includes(node.name?.value ?? '');
}

function toSubgraphType(node: ObjectTypeDefinitionNode, schema: GraphQLSchema): ObjectTypeDefinitionNode {
  const type = schema.getType(node.name.value);
  if (!isObjectType(type)) return node;
  const { fields = [], directives = [] } = node;
  const known = type.getFields();
  // Below `query` of a payload, no tool can compose the fields that `Query` has in other subgraphs.
  const isOwn = (name: string): boolean => getNamedType(known[name]?.type) !== schema.getQueryType();
  const isForRouters = (name: string): boolean =>
    type === schema.getQueryType() && FEDERATION_NAMES.queries.includes(name);
  return {
    ...node,
    fields: fields.filter(({ name: { value } }) => isOwn(value) && !isForRouters(value)),
    directives: [...directives, ...directivesOf(type, schema)],
  };
}

function directivesOf(type: GraphQLObjectType, schema: GraphQLSchema): readonly ConstDirectiveNode[] {
  const entity = schema.getType('_Entity');
  if (isUnionType(entity) && schema.isSubType(entity, type))
    return [makeDirectiveNode('key', { fields: 'id' })];
  // Other subgraphs can add fields to these objects, although this one cannot fetch them.
  if (String(type.getFields()['id']?.type) === 'ID!')
    return [makeDirectiveNode('key', { fields: 'id', resolvable: false })];
  return SHAREABLE_TYPES.includes(type.name) ? [makeDirectiveNode('shareable', {})] : [];
}
