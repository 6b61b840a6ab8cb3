// Delivers results with `@defer` and `@stream` in parts, by the executor of graphql-tools: that of graphql 16 has no parts.
import { execute, type IncrementalExecutionResults } from '@graphql-tools/executor';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import { DEFER, STREAM } from '../../schema/directives.ts';
import type { OperationParams } from '../../server/operation-request.ts';
import type { Executed, OperationPlugin } from '../../server/plugin.ts';
import type { IncrementalResult } from '../../server/results.ts';

/**
 * Makes the plugin. One whole result is for mutations, for clients that take no parts, and for those that want null at an error
 * (`onError: NULL`).
 */
export function useIncremental(): OperationPlugin {
  return {
    directives: [DEFER.name, STREAM.name],
    onOperation({ request, params, document, definition, contextValue }) {
      // The results of a live query come in one part each.
      const takesParts =
        request.acceptsParts === true &&
        params.onError !== 'NULL' &&
        (definition.directives?.length ?? 0) === 0;
      if (takesParts && definition.operation === OperationTypeNode.QUERY) {
        checkCounts(document, params.variables);
        contextValue.operationExecutor = executeInParts;
      }
      return null;
    },
  };
}

/** Checks the number of items that come first, which the executor only asserts. @throws InvalidInputError */
function checkCounts(document: DocumentNode, variables: OperationParams['variables']): void {
  visit(document, {
    Directive({ name: directive, arguments: args = [] }) {
      if (directive.value !== STREAM.name) return;
      for (const { name, value } of args) {
        const given =
          value.kind === Kind.VARIABLE ? variables?.[value.name.value] : valueFromASTUntyped(value);
        if (name.value === 'initialCount' && typeof given === 'number' && given < 0)
          throw new InvalidInputError('The "initialCount" of @stream must be 0 or more.');
      }
    },
  });
}

async function executeInParts(args: ExecutionArgs): Promise<Executed> {
  const result = await execute(args as Parameters<typeof execute>[0]);
  return 'initialResult' in result ? listParts(result) : checkJson(result as ExecutionResult);
}

async function* listParts({
  initialResult,
  subsequentResults,
}: IncrementalExecutionResults<unknown>): AsyncGenerator<IncrementalResult> {
  yield checkJson(initialResult as IncrementalResult);
  for await (const part of subsequentResults) yield checkJson(part as IncrementalResult);
}

/** Replaces a part that JSON cannot hold, as a resolver of the library's user may cause. The planned execution finds this in the field. */
function checkJson<R extends IncrementalResult>(part: R): R | IncrementalResult {
  try {
    JSON.stringify([part.data, part.incremental?.map(({ data, items }) => data ?? items)]);
    return part;
  } catch (error) {
    const originalError = error instanceof Error ? error : new Error(String(error));
    const { hasNext } = part;
    return {
      errors: [new GraphQLError('A resolver has returned what JSON cannot hold.', { originalError })],
      ...(hasNext !== undefined && { hasNext }),
    };
  }
}
