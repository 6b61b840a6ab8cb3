// Decides who may read the schema through introspection.
import { type DocumentNode, GraphQLError, type GraphQLSchema, visit } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { IntrospectionRefusedError } from '../../upstream/errors/request-errors.ts';
import type { ServerContext } from '../context.ts';

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export type IntrospectionAccess = 'on' | 'authenticated' | 'off';

/** The names that graphql-js suggests for an unknown one. */
const SUGGESTION = / Did you mean .*\?$/s;

/**
 * Refuses introspection to callers who may not use it, and removes the names that error messages suggest to them. `__typename` is
 * always allowed.
 */
export function useIntrospectionAccess(
  access: IntrospectionAccess,
  toClientError: (error: unknown) => GraphQLError,
): Plugin<ServerContext> {
  if (access === 'on') return {};
  const introspects = new WeakMap<DocumentNode, boolean>();
  const mayRead = ({ session }: ServerContext): boolean =>
    access === 'authenticated' && session !== undefined && session.caller.credential !== null;
  return {
    onValidate({ context }) {
      if (mayRead(context as ServerContext)) return undefined;
      return ({ result, setResult }) => {
        const errors = result as readonly GraphQLError[];
        if (errors.length > 0) setResult(errors.map(withoutSuggestion));
      };
    },
    onExecute({ args, setResultAndStopExecution }) {
      if (mayRead(args.contextValue)) return undefined;
      const { document } = args;
      const isIntrospection = introspects.get(document) ?? readsSchema(document, args.schema);
      introspects.set(document, isIntrospection);
      if (isIntrospection)
        setResultAndStopExecution({ errors: [toClientError(new IntrospectionRefusedError(access))] });
      // The values of variables are checked only here.
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result) || result.errors === undefined) return;
          setResult({ ...result, errors: result.errors.map(withoutSuggestion) });
        },
      };
    },
  };
}

function readsSchema(document: DocumentNode, schema: GraphQLSchema): boolean {
  const fields = ['__schema', '__type', ...(schema.getType('_Service') ? ['_service'] : [])];
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= fields.includes(name.value);
    },
  });
  return found;
}

function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(SUGGESTION, '');
  if (message === error.message) return error;
  const { nodes, path, extensions } = error;
  return new GraphQLError(message, { nodes: nodes ?? null, path: path ?? null, extensions });
}
