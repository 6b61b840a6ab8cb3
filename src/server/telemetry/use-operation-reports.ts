// Reports operations to the observer of the facade.
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { AddressOf } from '../../callers/client-address.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { readRequester, type ServerContext } from '../context.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { OperationReport } from './operation-report.ts';

/** Reports each HTTP request for GraphQL from its arrival to its response, or to the end of its stream. */
export function useHttpReports(observer: Observer, addressOf: AddressOf): Plugin<ServerContext> {
  const reports = new WeakMap<Request, OperationReport>();
  return {
    onRequestParse({ request, serverContext }) {
      const { req } = serverContext as ServerContext;
      const { requestId, address = null, header } = readRequester(request, req, addressOf);
      const report = OperationReport.begin(observer, { requestId, address, header }, 'http');
      if (report === null) return;
      (serverContext as ServerContext).report = report;
      reports.set(request, report);
      request.signal.addEventListener('abort', () => report.end(null, true), { once: true });
    },
    onResultProcess({ request, result, setResult }) {
      const report = reports.get(request);
      if (report === undefined || Array.isArray(result)) return;
      if (!isAsyncIterable(result)) return report.addResult(result);
      report.isStreamed = true;
      setResult(
        mapAsyncIterator(
          result,
          (event) => {
            report.addResult(event);
            return event;
          },
          undefined,
          () => report.end(200),
        ),
      );
    },
    onResponse({ request, response }) {
      const report = reports.get(request);
      if (report === undefined) return;
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) report.transport = 'sse';
      if (!report.isStreamed || response.status !== 200) report.end(response.status);
    },
  };
}

/** Adds to the reports of operations, over any transport, what their execution tells. */
export function useExecutionReports(observer: Observer, trusted: TrustedDocuments): Plugin<ServerContext> {
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
    onExecute({ args }) {
      const end = (args.contextValue as ServerContext).report?.beginStep('execute');
      return (
        end && {
          onExecuteDone({ result }) {
            if (isAsyncIterable(result)) return { onEnd: () => end({ hasFailed: false }) };
            return void end({ hasFailed: result.errors !== undefined });
          },
        }
      );
    },
    onSubscribe: ({ args }) => ({
      onSubscribeResult() {
        const { report } = args.contextValue as ServerContext;
        const end = report && observer.subscription?.(report.observed);
        return end && { onEnd: () => end() };
      },
    }),
  };
}
