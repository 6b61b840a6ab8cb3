// Caches the results of introspection queries.
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind, print } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type ExecutionStep, mapResults } from './execution-step.ts';

/** Characters of all cached results together, as JSON. The schema of a large API takes a million and a half. */
const MAX_SIZE = 32_000_000;

/**
 * Executes each introspection query once for each schema, regardless of whitespace: a large API takes a third of a second, and
 * every tool sends such a query first. Documents with variables are not cached.
 */
export function withIntrospectionCache(): ExecutionStep {
  const results = new LRUCache<string, ExecutionResult>({
    maxSize: MAX_SIZE,
    sizeCalculation: (result, key) => JSON.stringify(result.data).length + key.length,
  });
  const numbers = new WeakMap<GraphQLSchema, number>();
  const texts = new WeakMap<DocumentNode, string>();
  let schemas = 0;
  return (execute) => (args) => {
    const { schema, document, operationName } = args;
    if (!isPureIntrospection(document)) return execute(args);
    const number = numbers.get(schema) ?? ++schemas;
    numbers.set(schema, number);
    const text = texts.get(document) ?? print(document);
    texts.set(document, text);
    const key = `${number} ${operationName ?? ''} ${text}`;
    const cached = results.get(key);
    if (cached !== undefined) return { ...cached };
    return mapResults(execute(args), (result) => {
      if (result.errors === undefined) results.set(key, { ...result });
      return result;
    });
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
