// Reports the requests of a transport.
import type { Observer, UpstreamFailure } from '../../observer.ts';
import { OptiongraphError } from '../errors.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** Makes a transport that reports each request to an origin. The observer may add headers. */
export function observeCalls(transport: Transport, origin: string, { upstreamCall }: Observer): Transport {
  if (upstreamCall === undefined) return transport;
  return {
    send(request) {
      const extraHeaders: Record<string, string> = {};
      const { scope: action = null, method, template, cause = null } = request;
      const startedAt = performance.now();
      const end = upstreamCall({ cause, origin, action, method, template, extraHeaders });
      return transport.send(withHeaders(request, extraHeaders)).then(
        (response) => {
          end?.({ status: response.status, failure: null, duration: performance.now() - startedAt });
          return response;
        },
        (error: unknown) => {
          const status = error instanceof OptiongraphError ? (error.status ?? null) : null;
          end?.({ status, failure: failureOf(error), duration: performance.now() - startedAt });
          throw error;
        },
      );
    },
    close: () => transport.close(),
  };
}

/** Most observers add no headers, and then the request is sent as it is. */
function withHeaders(request: TransportRequest, extra: Readonly<Record<string, string>>): TransportRequest {
  if (Object.keys(extra).length === 0) return request;
  return { ...request, headers: { ...request.headers, ...extra } };
}

/** Causes of failures when the facade itself closes its connections. */
const OWN_CAUSES: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** Other errors than the facade's own come from aborted requests. */
function failureOf(error: unknown): UpstreamFailure {
  if (!(error instanceof OptiongraphError) || OWN_CAUSES.has(error.cause))
    return { code: 'ABORTED', cause: null };
  return { code: error.code, cause: typeof error.cause === 'string' ? error.cause : null };
}
