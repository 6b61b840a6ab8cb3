// Finds the rows of the lists in a schema.
import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';

/** The type of a connection's nodes; null for fields that are no connections. */
export function rowTypeOf({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType | null {
  const connection = getNamedType(type);
  const fields = isObjectType(connection) ? connection.getFields() : {};
  const row = 'pageInfo' in fields ? getNamedType(fields['nodes']?.type) : undefined;
  return isObjectType(row) ? row : null;
}
