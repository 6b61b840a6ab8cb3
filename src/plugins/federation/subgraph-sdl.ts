// Prints a schema as a subgraph of Apollo Federation.
import { getDocumentNodeFromSchema, makeDirectiveNode } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isUnionType,
  Kind,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import { DEFER, LIVE, STREAM } from '../../schema/directives.ts';
import { printDocument } from '../../schema/print-schema.ts';

/** The names of what only routers use. The SDL does not contain it. */
export const FEDERATION_NAMES = {
  types: ['_Any', '_Entity', '_Service'],
  queries: ['_entities', '_service'],
  mutations: [],
};

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
