// Validates schemas, because the facade's assume that they are valid.
import { type GraphQLError, GraphQLSchema, validateSchema } from 'graphql';

/** Returns what makes a schema invalid. */
export function problemsOf(schema: GraphQLSchema): readonly GraphQLError[] {
  return validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }));
}
