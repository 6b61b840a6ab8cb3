// Answers the checks of load balancers and orchestrators.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SharingReport } from '../../sharing/replicas.ts';
import type { UpstreamReport } from '../../upstream/http/upstream-health.ts';
import { answerJson } from './server-answers.ts';

/** What a server does: it waits for the first schema, serves, serves until balancers have found another one, or lets operations finish. */
export type ServerState = 'starting' | 'serving' | 'draining' | 'stopping';

/** The health of a facade, in a form for operators. It holds no address, name or credential. */
interface FacadeReport {
  readonly upstream: UpstreamReport;
  /** Seconds since the operator's description was fetched. */
  readonly descriptionAge: number;
  /** How the other replicas are reached; null without Redis. */
  readonly sharing: SharingReport | null;
}

/** What the checks ask of a facade. */
export interface HealthyFacade {
  /** What operators want to know. */
  readonly health: { readonly report: FacadeReport };
}

const LIVE_PATHS: readonly string[] = ['/livez', '/health'];
const READY_PATHS: readonly string[] = ['/readyz', '/ready'];

/**
 * Answers `/livez` (alias `/health`) with 200 while the process runs, and `/readyz` (alias `/ready`) with 200 while requests can be
 * served, else with 503. `?verbose` adds the reasons.
 * @param path The path of the request below the base path.
 * @returns False when the request is no health check.
 */
export function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  state: ServerState,
  facade: HealthyFacade | null,
): boolean {
  const isLiveness = LIVE_PATHS.includes(path);
  if (!isLiveness && !READY_PATHS.includes(path)) return false;
  const isReady = state === 'serving';
  const status = isLiveness ? 'alive' : isReady ? 'ready' : 'not ready';
  const code = isLiveness || isReady ? 200 : 503;
  const isVerbose = /[?&]verbose(=|&|$)/.test(request.url ?? '');
  answerJson(response, code, isVerbose ? { status, state, ...facade?.health.report } : { status });
  return true;
}
