import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind, print } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

type Answers = LRUCache<string, ExecutionResult>;

/** Answers kept for one schema: each tool has a query of its own, and an answer of a large API is a megabyte. */
const MAX_ANSWERS = 6;

/**
 * Answers introspection once a schema and query, however the query is laid out: of a large API it takes a third of a second, and
 * every tool asks it first. Documents with variables are not kept.
 */
export function useIntrospectionCache(): Plugin {
  const answersOf = new WeakMap<GraphQLSchema, Answers>();
  const texts = new WeakMap<DocumentNode, string>();
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { schema, document, operationName } = args;
      if (!isPureIntrospection(document)) return undefined;
      const answers: Answers = answersOf.get(schema) ?? new LRUCache({ max: MAX_ANSWERS });
      answersOf.set(schema, answers);
      const text = texts.get(document) ?? print(document);
      texts.set(document, text);
      const key = `${operationName ?? ''} ${text}`;
      const known = answers.get(key);
      if (known !== undefined) {
        setResultAndStopExecution({ ...known });
        return undefined;
      }
      return {
        onExecuteDone({ result }) {
          if (Symbol.asyncIterator in result || result.errors !== undefined) return;
          answers.set(key, { ...result });
        },
      };
    },
  };
}
/** Whether a document asks the same of everybody: nothing but the schema, without variables or directives of its own. */
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
