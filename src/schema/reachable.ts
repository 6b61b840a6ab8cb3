// Removes unreachable types from a schema.

import {
  type GraphQLNamedType,
  GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';

/** Returns the schema without the types that no operation can select or pass, e.g. one that only a hidden action returns. */
export function reachablePart(schema: GraphQLSchema): GraphQLSchema {
  const reached = new Set<GraphQLNamedType>();
  const visit = (type: GraphQLType): void => {
    const named = getNamedType(type);
    if (reached.has(named)) return;
    reached.add(named);
    for (const next of neighboursOf(named, schema)) visit(next);
  };
  const all = Object.values(schema.getTypeMap());
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of [...roots, ...all.filter(isIntrospectionType)]) if (type) visit(type);
  return new GraphQLSchema({ ...schema.toConfig(), types: all.filter((type) => reached.has(type)) });
}

/** Returns the types to which a type refers directly. */
function neighboursOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLType[] {
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => field.type);
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  if (!isObjectType(type) && !isInterfaceType(type)) return possible;
  const fields = Object.values(type.getFields());
  return [
    ...possible,
    ...type.getInterfaces(),
    ...fields.map((field) => field.type),
    ...fields.flatMap(({ args }) => args.map((argument) => argument.type)),
  ];
}
