// Builds the GraphQL schema from the types of a builder.
import { BuildCache } from '@pothos/core';
import {
  type GraphQLNamedType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
} from 'graphql';
import type { Builder } from './builder.ts';
import { DEFER, LIVE, SEMANTIC_NON_NULL, STREAM } from './directives.ts';
import { compareNames, sortParts } from './order.ts';
import { withInternalResources } from './origin.ts';

const DIRECTIVES = lexicographicSortSchema(
  new GraphQLSchema({
    directives: [...specifiedDirectives, DEFER, STREAM, LIVE, SEMANTIC_NON_NULL],
  }),
).getDirectives();

/**
 * Builds the schema of a builder, with its parts in the order for readers.
 * @param types `reachable` leaves out the types to which no field leads.
 * @param readOnly Leaves out the type `Mutation`.
 * @param internal Dotted paths of internal resources.
 * @throws DescriptionError when a type has no fields.
 */
export function buildSchema(
  builder: Builder,
  types: 'all' | 'reachable',
  readOnly: boolean,
  internal: ReadonlySet<string>,
): GraphQLSchema {
  const built = buildTypes(builder, internal);
  const config = {
    query: rootOf(built, 'Query'),
    mutation: readOnly ? null : rootOf(built, 'Mutation'),
    subscription: rootOf(built, 'Subscription'),
    directives: DIRECTIVES,
    ...withInternalResources(internal),
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
