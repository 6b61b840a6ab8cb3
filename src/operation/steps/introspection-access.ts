// Decides who may read the schema through introspection.
import { type DocumentNode, GraphQLError, type GraphQLSchema, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../context.ts';
import { IntrospectionRefusedError } from '../errors.ts';
import { type ExecutionStep, mapResults, refuse } from './execution-step.ts';

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export type IntrospectionAccess = 'on' | 'authenticated' | 'off';

/** The names that graphql-js suggests for an unknown one. */
const SUGGESTION = / Did you mean .*\?$/s;

/** Removes the names that error messages of the validation suggest to callers who may not read the schema. */
export function useIntrospectionAccess(access: IntrospectionAccess): Plugin<ServerContext> {
  if (access === 'on') return {};
  return {
    onValidate({ context }) {
      if (mayRead(access, context as ServerContext)) return undefined;
      return ({ result, setResult }) => {
        const errors = result as readonly GraphQLError[];
        if (errors.length > 0) setResult(errors.map(withoutSuggestion));
      };
    },
  };
}

/**
 * Refuses introspection to callers who may not use it, and removes the names that error messages suggest to them. `__typename` is
 * always allowed.
 */
export function withIntrospectionAccess(access: IntrospectionAccess): ExecutionStep {
  if (access === 'on') return (execute) => execute;
  const introspects = new WeakMap<DocumentNode, boolean>();
  return (execute) => (args) => {
    if (mayRead(access, args.contextValue as ServerContext)) return execute(args);
    const { document } = args;
    const isIntrospection = introspects.get(document) ?? readsSchema(document, args.schema);
    introspects.set(document, isIntrospection);
    if (isIntrospection) return refuse(new IntrospectionRefusedError(access));
    // The values of variables are checked only here.
    return mapResults(execute(args), (result) =>
      result.errors === undefined ? result : { ...result, errors: result.errors.map(withoutSuggestion) },
    );
  };
}

const mayRead = (access: IntrospectionAccess, { session }: ServerContext): boolean =>
  access === 'authenticated' && session !== undefined && session.caller.credential !== null;

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
