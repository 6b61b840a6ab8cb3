// Builds the GraphQL schema from the types of a builder, one type in each step.
import { BuildCache } from '@pothos/core';
import {
  type GraphQLNamedType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
} from 'graphql';
import type { Steps } from '../upstream/steps.ts';
import type { Builder } from './builder.ts';
import { DEFER, STREAM } from './incremental-directives.ts';
import { LIVE } from './live-directive.ts';
import { compareNames, sortParts } from './order.ts';
import { withInternalResources } from './origin.ts';
import { SEMANTIC_NON_NULL } from './types/semantic-non-null.ts';

const DIRECTIVES = lexicographicSortSchema(
  new GraphQLSchema({
    directives: [...specifiedDirectives, DEFER, STREAM, LIVE, SEMANTIC_NON_NULL],
  }),
).getDirectives();

/**
 * Builds the schema that `builder.toSchema()` builds without pauses, with its parts in the order for readers.
 * @param types `reachable` leaves out the types to which no field leads.
 * @param readOnly Leaves out the type `Mutation`.
 * @param internal Dotted paths of internal resources.
 * @throws DescriptionError when a type has no fields.
 */
export function* buildSchema(
  builder: Builder,
  types: 'all' | 'reachable',
  readOnly: boolean,
  internal: ReadonlySet<string>,
): Steps<GraphQLSchema> {
  const built = yield* buildTypes(builder, internal);
  const config = {
    query: rootOf(built, 'Query'),
    mutation: readOnly ? null : rootOf(built, 'Mutation'),
    subscription: rootOf(built, 'Subscription'),
    directives: DIRECTIVES,
    ...withInternalResources(internal),
    // Pothos and graphql-js have checked names and references, and `sortParts` checks that there are fields.
    assumeValid: true,
  };
  const kept = types === 'all' ? built : keepReachable(built, config);
  yield;
  const sorted = [...kept.values()].sort(compareNames);
  yield;
  return new GraphQLSchema({ ...config, types: sorted });
}

/** Keeps the types to which a field leads. `Node` leads to all types that implement it. */
function keepReachable(
  types: ReadonlyMap<string, GraphQLNamedType>,
  roots: GraphQLSchemaConfig,
): ReadonlyMap<string, GraphQLNamedType> {
  const implementations = [...types.values()].filter(
    (type) => isObjectType(type) && type.getInterfaces().length > 0,
  );
  const reachable = new GraphQLSchema({ ...roots, types: implementations }).getTypeMap();
  return new Map([...types].filter(([name]) => name in reachable));
}

/** Builds all types with their fields, which graphql-js otherwise resolves all at once. */
function* buildTypes(
  builder: Builder,
  internal: ReadonlySet<string>,
): Steps<ReadonlyMap<string, GraphQLNamedType>> {
  // Fails if a declared field has a type that is not declared.
  builder.configStore.prepareForBuild();
  const cache = new BuildCache(builder, {});
  for (const config of builder.configStore.typeConfigs.values()) {
    cache.buildTypeFromConfig(config);
    yield;
  }
  for (const type of cache.types.values()) {
    sortParts(type, internal);
    yield;
  }
  return cache.types;
}

function rootOf(types: ReadonlyMap<string, GraphQLNamedType>, name: string) {
  const type = types.get(name);
  return isObjectType(type) ? type : undefined;
}
