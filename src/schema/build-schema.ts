// Builds the GraphQL schema from the types of a builder, with its parts in the order for readers.
import { BuildCache } from '@pothos/core';
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
} from 'graphql';
import { naturalCompare } from 'graphql/jsutils/naturalCompare.js';
import { DescriptionError } from '../upstream/errors.ts';
import type { Assembly } from './assemble.ts';
import type { Builder } from './builder.ts';
import { DEFER, LIVE, SEMANTIC_NON_NULL, STREAM } from './directives.ts';
import { actionOf, rowTypeOf } from './origin.ts';

type Field = GraphQLField<unknown, unknown>;

/** What identifies an object comes first. */
const IDENTITY = ['id', 'databaseId', 'label'];
const ROOTS = ['Query', 'Mutation', 'Subscription'];

const DIRECTIVES = lexicographicSortSchema(
  new GraphQLSchema({
    directives: [...specifiedDirectives, DEFER, STREAM, LIVE, SEMANTIC_NON_NULL],
  }),
).getDirectives();

/**
 * Builds the schema of a builder, with its parts in the order for readers.
 * @param types `reachable` leaves out the types to which no field leads.
 * @param readOnly Leaves out the type `Mutation`.
 * @throws DescriptionError when a type has no fields.
 */
export function buildSchema(
  { builder, model }: Pick<Assembly, 'builder' | 'model'>,
  types: 'all' | 'reachable',
  readOnly: boolean,
): GraphQLSchema {
  const internal = new Set([...model].flatMap(([path, { isInternal }]) => (isInternal ? [path] : [])));
  const built = buildTypes(builder, internal);
  const config = {
    query: rootOf(built, 'Query'),
    mutation: readOnly ? null : rootOf(built, 'Mutation'),
    subscription: rootOf(built, 'Subscription'),
    directives: DIRECTIVES,
    extensions: { internal },
    // Pothos and graphql-js have checked names and references, and `sortParts` checks that there are fields.
    assumeValid: true,
  };
  const sorted = { ...config, types: [...built.values()].sort(compareNames) };
  return types === 'all' ? new GraphQLSchema(sorted) : createReachable(sorted);
}

/** Creates a schema without the types to which no field leads. `Node` leads to all types that implement it. */
export function createReachable({ types = [], ...config }: GraphQLSchemaConfig): GraphQLSchema {
  const all = types ?? [];
  const implementations = all.filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
  const reachable = new GraphQLSchema({ ...config, types: implementations }).getTypeMap();
  return new GraphQLSchema({ ...config, types: all.filter(({ name }) => name in reachable) });
}

/** Builds all types with their fields. */
function buildTypes(builder: Builder, internal: ReadonlySet<string>): ReadonlyMap<string, GraphQLNamedType> {
  // Fails if a declared field has a type that is not declared.
  builder.configStore.prepareForBuild();
  const cache = new BuildCache(builder, {});
  for (const config of builder.configStore.typeConfigs.values()) cache.buildTypeFromConfig(config);
  for (const type of cache.types.values()) sortParts(type, internal);
  return cache.types;
}

function rootOf(types: ReadonlyMap<string, GraphQLNamedType>, name: string) {
  const type = types.get(name);
  return isObjectType(type) ? type : undefined;
}

/** Sorts by name. */
const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number =>
  naturalCompare(a.name, b.name);

/**
 * Sorts the fields, arguments and values of a type: an object's identity, its values, its edges to one object, its lists. Roots keep
 * the fields of a resource together. Fields of internal resources come last. Names decide about the rest.
 * @param internal Dotted paths of internal resources.
 * @throws DescriptionError when the type has no fields.
 */
function sortParts(type: GraphQLNamedType, internal: ReadonlySet<string>): void {
  if (isEnumType(type)) (type.getValues() as GraphQLEnumValue[]).sort(compareNames);
  const isOutput = isObjectType(type) || isInterfaceType(type);
  if (!isOutput && !isInputObjectType(type)) return;
  const fields: Record<string, Field | GraphQLInputField> = type.getFields();
  const isRoot = ROOTS.includes(type.name);
  const ranked = Object.values(fields).map((field) => ({
    name: field.name,
    field,
    rank: 'args' in field ? (isRoot ? 0 : rankOf(field)) + (isInternal(field, internal) ? 100 : 0) : 0,
  }));
  if (ranked.length === 0)
    throw new DescriptionError(`The type ${type.name} that the description gives has no fields.`);
  ranked.sort((a, b) => a.rank - b.rank || compareNames(a, b));
  for (const { name, field } of ranked) {
    if ('args' in field && field.args.length > 1) field.args = [...field.args].sort(compareNames);
    // An object lists its keys in the order in which they were added.
    delete fields[name];
    fields[name] = field;
  }
}

function rankOf(field: Field): number {
  const identity = IDENTITY.indexOf(field.name);
  if (isLeafType(getNamedType(field.type))) return identity === -1 ? IDENTITY.length : identity;
  return isListType(getNullableType(field.type)) || rowTypeOf(field) !== null ? 20 : 10;
}

function isInternal(field: Field, internal: ReadonlySet<string>): boolean {
  const action = internal.size === 0 ? null : actionOf(field);
  return action !== null && internal.has(action.resource.join('.'));
}
