// Reports operations to the observer of the facade.
import type { ExecutionArgs } from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { AddressOf } from '../../callers/client-address.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { requesterOf } from '../../transports/http/requester.ts';
import type { ServerContext } from '../context.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { ExecutionStep } from '../steps/execution-step.ts';
import { OperationReport } from './operation-report.ts';

/** Reports each HTTP request for GraphQL from its arrival to its response, or to the end of its stream. */
export function useHttpReports(observer: Observer, addressOf: AddressOf): Plugin<ServerContext> {
  return {
    onRequestParse({ request, serverContext }) {
      if (observer.operation === undefined) return;
      const context = serverContext as ServerContext;
      const { requestId, address = null, header } = requesterOf(request, context, addressOf);
      context.report ??= OperationReport.begin(observer, { requestId, address, header }, 'http') ?? undefined;
    },
    onResultProcess({ request, result, setResult, serverContext }) {
      const { report } = serverContext as ServerContext;
      if (report === undefined || Array.isArray(result)) return;
      // A client that has left gets no result, and its errors only say that it has left.
      const add = <R extends object>(part: R): R => {
        if (!request.signal.aborted) report.addResult(part);
        return part;
      };
      if (!isAsyncIterable(result)) {
        add(result);
        return;
      }
      report.isStreamed = true;
      setResult(mapAsyncIterator(result, add, undefined, () => end(report, request, 200)));
    },
    onResponse({ request, response, serverContext }) {
      const { report } = serverContext as ServerContext;
      if (report === undefined) return;
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) report.transport = 'sse';
      if (!report.isStreamed || response.status !== 200) end(report, request, response.status);
    },
  };
}

/** Reports the end of a request. The signal has aborted when its client has left. */
function end(report: OperationReport, { signal }: Request, status: number): void {
  if (signal.aborted) report.end(null, true);
  else report.end(status);
}

/** Reports parsing and validation as steps of their operations, over any transport. */
export function useDocumentReports(trusted: TrustedDocuments): Plugin<ServerContext> {
  return {
    onParse: ({ context }) => {
      const { report, params } = context as ServerContext;
      if (report === undefined) return;
      const end = report.beginStep('parse');
      return ({ result }) => {
        const hasFailed = result === null || result instanceof Error;
        end?.({ hasFailed });
        if (hasFailed) return;
        const operationName = params?.operationName ?? null;
        report.chosen = { document: result, operationName, isTrusted: trusted.has(result) };
      };
    },
    onValidate({ context }) {
      const end = (context as ServerContext).report?.beginStep('validate');
      return end && (({ valid }) => end({ hasFailed: !valid }));
    },
  };
}

/** Reports executions as steps of their operations. */
export function withExecutionReport({ step }: Observer): ExecutionStep {
  if (step === undefined) return (execute) => execute;
  return (execute) => async (args) => {
    const end = (args.contextValue as ServerContext).report?.beginStep('execute');
    const result = await execute(args);
    if (isAsyncIterable(result))
      return mapAsyncIterator(
        result,
        (part) => part,
        undefined,
        () => end?.({ hasFailed: false }),
      );
    end?.({ hasFailed: result.errors !== undefined });
    return result;
  };
}

/** Reports that the stream of a subscription begins. Returns what is called at its end; undefined when nobody observes that. */
export function reportSubscription(
  { subscription }: Observer,
  { contextValue }: Pick<ExecutionArgs, 'contextValue'>,
): (() => void) | undefined {
  const { report } = contextValue as ServerContext;
  return report && subscription?.(report.observed);
}
