import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';

type Answers = Map<string, ExecutionResult>;

/** Answers kept for one document: one for each operation in it. Documents with variables are not kept. */
const MAX_ANSWERS = 10;

/**
 * Answers introspection once a schema: of a large API it takes a third of a second, and every tool asks it first. Documents
 * are told apart by identity, so it relies on the cache of parsed documents.
 */
export function useIntrospectionCache(): Plugin {
  const answersOf = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, Answers>>();
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { schema, document, operationName } = args;
      if (!isPureIntrospection(document)) return undefined;
      const byDocument = answersOf.get(schema) ?? new WeakMap<DocumentNode, Answers>();
      const answers = byDocument.get(document) ?? new Map<string, ExecutionResult>();
      answersOf.set(schema, byDocument.set(document, answers));
      const key = operationName ?? '';
      const known = answers.get(key);
      if (known !== undefined) {
        setResultAndStopExecution({ ...known });
        return undefined;
      }
      return {
        onExecuteDone({ result }) {
          if (Symbol.asyncIterator in result || result.errors !== undefined || answers.size >= MAX_ANSWERS)
            return;
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
