// Explains missing fields that other callers have.
import { GraphQLError, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../context.ts';

/** The message of graphql-js for a field that the type lacks. */
const UNKNOWN_FIELD = /^Cannot query field "(\w+)" on type "(\w+)"\./;

/**
 * Adds a hint to the error about a field that the caller's schema lacks and another caller's has: to sign in, or to get other
 * rights. The error reveals nothing else about the field.
 * @param schemas Returns the schemas of all callers.
 */
export function useRightsHint(schemas: () => Iterable<GraphQLSchema>): Plugin<ServerContext> {
  return {
    onValidate({ context }) {
      return ({ result, setResult }) => {
        const { session } = context as ServerContext;
        const isAnonymous = session?.caller.credential === null;
        const hinted = (result as readonly Error[]).map((error) => {
          const [, field = '', type = ''] = UNKNOWN_FIELD.exec(error.message) ?? [];
          if (field === '' || !(error instanceof GraphQLError) || !isInAnySchema(schemas(), type, field))
            return error;
          session?.revalidateRights();
          const hint = isAnonymous ? 'Sign in to use it.' : 'It needs other rights than yours.';
          return new GraphQLError(`Cannot query field "${field}" on type "${type}". ${hint}`, {
            nodes: error.nodes ?? null,
            extensions: error.extensions,
          });
        });
        if (hinted.length > 0) setResult(hinted);
      };
    },
  };
}

function isInAnySchema(schemas: Iterable<GraphQLSchema>, typeName: string, field: string): boolean {
  for (const schema of schemas) {
    const type = schema.getType(typeName);
    if ((isObjectType(type) || isInterfaceType(type)) && field in type.getFields()) return true;
  }
  return false;
}
