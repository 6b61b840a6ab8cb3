// Builds the GraphQL schema from the types of a builder, one type in each step.

import { BuildCache } from '@pothos/core';
import {
  type GraphQLEnumValue,
  type GraphQLNamedType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  specifiedDirectives,
} from 'graphql';
import { naturalCompare } from 'graphql/jsutils/naturalCompare.js';
import { DescriptionError } from '../upstream/errors.ts';
import type { Steps } from '../upstream/steps.ts';
import type { Builder } from './builder.ts';
import { DEFER, STREAM } from './incremental-directives.ts';
import { SEMANTIC_NON_NULL } from './types/semantic-non-null.ts';

const DIRECTIVES = lexicographicSortSchema(
  new GraphQLSchema({
    directives: [...specifiedDirectives, DEFER, STREAM, SEMANTIC_NON_NULL],
  }),
).getDirectives();

/**
 * Builds the schema that `builder.toSchema({ sortSchema: true })` builds without pauses.
 * @param types `reachable` leaves out the types to which no field leads.
 * @param readOnly Leaves out the type `Mutation`.
 * @throws DescriptionError when a type has no fields.
 */
export function* buildSchema(
  builder: Builder,
  types: 'all' | 'reachable',
  readOnly: boolean,
): Steps<GraphQLSchema> {
  const built = yield* buildTypes(builder);
  const config = {
    query: rootOf(built, 'Query'),
    mutation: readOnly ? null : rootOf(built, 'Mutation'),
    subscription: rootOf(built, 'Subscription'),
    directives: DIRECTIVES,
    // Pothos and graphql-js have checked names and references, and `sortFields` checks that there are fields.
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
function* buildTypes(builder: Builder): Steps<ReadonlyMap<string, GraphQLNamedType>> {
  // Fails if a declared field has a type that is not declared.
  builder.configStore.prepareForBuild();
  const cache = new BuildCache(builder, {});
  for (const config of builder.configStore.typeConfigs.values()) {
    cache.buildTypeFromConfig(config);
    yield;
  }
  for (const type of cache.types.values()) {
    sortFields(type);
    yield;
  }
  return cache.types;
}

/** Sorts the fields, arguments and values of a type, because introspection and the explorer list them in this order. */
function sortFields(type: GraphQLNamedType): void {
  if (isEnumType(type)) (type.getValues() as GraphQLEnumValue[]).sort(compareNames);
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return;
  const fields = type.getFields();
  const sorted = Object.values(fields).sort(compareNames);
  if (sorted.length === 0)
    throw new DescriptionError(`The type ${type.name} that the description gives has no fields.`);
  for (const field of sorted) {
    // An object lists its keys in the order in which they were added.
    delete fields[field.name];
    fields[field.name] = field;
    if ('args' in field) field.args = [...field.args].sort(compareNames);
  }
}

const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number =>
  naturalCompare(a.name, b.name);

function rootOf(types: ReadonlyMap<string, GraphQLNamedType>, name: string) {
  const type = types.get(name);
  return isObjectType(type) ? type : undefined;
}
