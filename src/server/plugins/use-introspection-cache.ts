// Caches the results of introspection queries.
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind, print } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

type Results = LRUCache<string, ExecutionResult>;

/** Results cached for each schema. Each tool has its own query, and the result of a large API takes a megabyte. */
const MAX_RESULTS = 6;

/**
 * Executes each introspection query once for each schema, regardless of whitespace: a large API takes a third of a second, and
 * every tool sends such a query first. Documents with variables are not cached.
 */
export function useIntrospectionCache(): Plugin {
  const resultsBySchema = new WeakMap<GraphQLSchema, Results>();
  const texts = new WeakMap<DocumentNode, string>();
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { schema, document, operationName } = args;
      if (!isPureIntrospection(document)) return undefined;
      const results: Results = resultsBySchema.get(schema) ?? new LRUCache({ max: MAX_RESULTS });
      resultsBySchema.set(schema, results);
      const text = texts.get(document) ?? print(document);
      texts.set(document, text);
      const key = `${operationName ?? ''} ${text}`;
      const cached = results.get(key);
      if (cached !== undefined) {
        setResultAndStopExecution({ ...cached });
        return undefined;
      }
      return {
        onExecuteDone({ result }) {
          if (Symbol.asyncIterator in result || result.errors !== undefined) return;
          results.set(key, { ...result });
        },
      };
    },
  };
}

/** Whether a document selects nothing but the schema and has no variables, so that its result depends on the schema alone. */
function isPureIntrospection(document: DocumentNode): boolean {
  return document.definitions.every((definition) => {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      return definition.typeCondition.name.value.startsWith('__');
    return (
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.variableDefinitions?.length === 0 &&
      definition.selectionSet.selections.every(
        (selection) =>
          selection.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(selection.name.value),
      )
    );
  });
}
