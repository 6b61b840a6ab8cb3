// Resolves the texts that introspection shows, in the caller's language.
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  isIntrospectionType,
} from 'graphql';
import type { SchemaContext } from '../builder.ts';

type TextResolver = GraphQLFieldResolver<Partial<GraphQLEnumValue>, Partial<SchemaContext> | undefined>;

/** Resolvers by the names of the fields, which all introspection types have in common. */
const RESOLVERS: Readonly<Record<string, TextResolver>> = {
  description: (part, _args, context) =>
    context?.session?.texts?.descriptionOf(part) ?? part.description ?? null,
  deprecationReason: (part, _args, context) =>
    context?.session?.texts?.reasonOf(part) ?? part.deprecationReason ?? null,
};

/** The resolver of a field of an introspection type that shows a text; undefined for all other fields. */
export function textResolverOf(
  parent: GraphQLObjectType,
  { name }: GraphQLField<unknown, unknown>,
): GraphQLFieldResolver<unknown, unknown> | undefined {
  if (!parent.name.startsWith('__') || !isIntrospectionType(parent) || !Object.hasOwn(RESOLVERS, name))
    return undefined;
  return RESOLVERS[name] as GraphQLFieldResolver<unknown, unknown>;
}
