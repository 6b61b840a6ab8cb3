import { GraphQLError, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../context.ts';

const MISSING = /^Cannot query field "(\w+)" on type "(\w+)"\./;

/**
 * Tells a caller whose schema lacks a field that others have it: they need to sign in, or other rights. It tells nothing
 * else of the field.
 * @param schemas Those of all callers.
 */
export function useRightsHint(schemas: () => Iterable<GraphQLSchema>): Plugin<ServerContext> {
  return {
    onValidate({ context }) {
      return ({ result, setResult }) => {
        const { session } = context as ServerContext;
        const isAnonymous = session?.caller.credential === null;
        const hinted = (result as readonly Error[]).map((error) => {
          const [, field = '', type = ''] = MISSING.exec(error.message) ?? [];
          if (field === '' || !(error instanceof GraphQLError) || !isElsewhere(schemas(), type, field))
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

function isElsewhere(schemas: Iterable<GraphQLSchema>, typeName: string, field: string): boolean {
  for (const schema of schemas) {
    const type = schema.getType(typeName);
    if ((isObjectType(type) || isInterfaceType(type)) && field in type.getFields()) return true;
  }
  return false;
}
