// Delivers deferred fragments and streamed lists after the rest of a result.
import {
  execute as executeInParts,
  flattenIncrementalResults,
  isIncrementalResults,
} from '@graphql-tools/executor';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  visit,
} from 'graphql';
import { mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { InvalidInputError } from '../../loaders/errors.ts';
import { DEFER, STREAM } from '../../schema/incremental-directives.ts';
import type { OperationContext, ServerContext } from '../context.ts';
import { wantsTrace, withCost } from '../results.ts';
import { type Executed, type ExecutionStep, refuse } from '../steps/execution-step.ts';
import { type IncrementalResult, isContinued, mapErrors } from './incremental-result.ts';
import { incrementalRule } from './incremental-rule.ts';

const NEGATIVE_COUNT = new InvalidInputError('"@stream" needs an initialCount of 0 or more.');

/** Validates `@defer` and `@stream`. */
export function useIncrementalValidation(): Plugin<ServerContext> {
  return {
    onValidate({ params, addValidationRule }) {
      if (findDirectives(params.documentAST).length > 0) addValidationRule(incrementalRule);
    },
  };
}

/**
 * Executes operations with `@defer` or `@stream` by the executor of graphql-tools, in parts. Clients that accept no parts get the
 * whole result at once, as the specification allows.
 * @param toClientError Masks the errors of parts, which envelop does not see.
 */
export function withIncrementalDelivery(toClientError: (error: unknown) => GraphQLError): ExecutionStep {
  const deliver = async (args: ExecutionArgs): Promise<Executed> => {
    const results = await executeInParts(args);
    if (!isIncrementalResults(results)) return results as ExecutionResult;
    const context = args.contextValue as OperationContext & { readonly request?: Request };
    const isTraced = wantsTrace((name) => context.request?.headers.get(name) ?? null);
    let isComplete = false;
    return mapAsyncIterator(
      flattenIncrementalResults(results) as AsyncIterable<IncrementalResult>,
      (part) => {
        isComplete = !isContinued(part);
        const masked = part.incremental ? mapErrors(part, toClientError) : part;
        return isComplete ? withCost(masked, context, isTraced) : masked;
      },
      undefined,
      // Nobody receives what is still being read when the client leaves.
      () => void (isComplete || context.operation.end.abort(new Error('The client has left.'))),
    );
  };
  return (execute) => (args) => {
    const { schema, document, operationName, variableValues, contextValue } = args;
    const directives = findDirectives(document);
    if (directives.length === 0 || !acceptsParts(contextValue as { readonly request?: Request }))
      return execute(args);
    const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
    const { coerced } = getVariableValues(schema, variableDefinitions, variableValues ?? {});
    const negative = directives.find(({ countVariable }) => Number(coerced?.[countVariable ?? '']) < 0);
    return negative === undefined ? deliver(args) : refuse(NEGATIVE_COUNT);
  };
}

/** A directive that lets a part of the result arrive later. */
interface IncrementalDirective {
  /** Name of the variable that says how many items arrive first. */
  readonly countVariable: string | null;
}

const known = new WeakMap<DocumentNode, readonly IncrementalDirective[]>();

/** Finds the directives `@defer` and `@stream` of a document. */
function findDirectives(document: DocumentNode): readonly IncrementalDirective[] {
  const earlier = known.get(document);
  if (earlier !== undefined) return earlier;
  const directives: IncrementalDirective[] = [];
  visit(document, {
    Directive({ name, arguments: args }) {
      if (name.value !== DEFER.name && name.value !== STREAM.name) return;
      const count = args?.find((argument) => argument.name.value === 'initialCount')?.value;
      directives.push({ countVariable: count?.kind === Kind.VARIABLE ? count.name.value : null });
    },
  });
  known.set(document, directives);
  return directives;
}

/** Whether a client takes a result in parts: over a WebSocket always, over HTTP when it names the media type. */
function acceptsParts({ request }: { readonly request?: Request }): boolean {
  if (request === undefined) return true;
  const accepted = request.headers.get('accept') ?? '';
  return /multipart\/mixed|text\/event-stream/i.test(accepted);
}
