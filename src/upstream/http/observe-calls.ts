// Reports the requests of a transport.
import type { Observer, UpstreamFailure } from '../../telemetry/observer.ts';
import { OptiongraphError } from '../errors/optiongraph-error.ts';
import type { Transport } from './transport.ts';

/** Makes a transport that reports each request. The observer may add headers. */
export function observeCalls(transport: Transport, { upstreamCall }: Observer): Transport {
  if (upstreamCall === undefined) return transport;
  return {
    async send(request) {
      const extraHeaders: Record<string, string> = {};
      const { scope: action = null, method, template, cause = null } = request;
      const startedAt = performance.now();
      const end = upstreamCall({ cause, action, method, template, extraHeaders });
      try {
        const response = await transport.send({
          ...request,
          headers: { ...request.headers, ...extraHeaders },
        });
        end?.({ status: response.status, failure: null, duration: performance.now() - startedAt });
        return response;
      } catch (error) {
        const status = error instanceof OptiongraphError ? (error.status ?? null) : null;
        end?.({ status, failure: failureOf(error), duration: performance.now() - startedAt });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Other errors come from aborted requests: each failure of a connection is an error of the facade. */
function failureOf(error: unknown): UpstreamFailure {
  if (!(error instanceof OptiongraphError)) return { code: 'ABORTED', cause: null };
  return { code: error.code, cause: typeof error.cause === 'string' ? error.cause : null };
}
