// Writes log lines about operations, upstream failures and limits.
import type { Log, LogFields, LogLevel } from '../../log.ts';
import type {
  CallCause,
  ObservedOperation,
  Observer,
  OperationEnd,
  UpstreamCallEnd,
} from '../../observer.ts';

/** What is logged. */
export interface LogObserverOptions {
  /** The level of the log; lines below it are not made. */
  readonly level: LogLevel;
  /** Milliseconds from which a query or mutation is slow. A wait for a running action does not count. */
  readonly slowOperation: number;
}

/** Types of operations that last. */
const STREAMS: ReadonlySet<unknown> = new Set(['subscription', 'live query']);
/** Calls in the line of a slow operation: the slowest ones. */
const CALLS_OF_SLOW_OPERATION = 20;
/** Characters of a name that a client chose. */
const NAME_LENGTH = 100;
/** Characters of a caller's key, which is a hash. */
const KEY_LENGTH = 12;
/** Shortest time between two lines about the same thing. Milliseconds. */
const INTERVAL = 10_000;

/** What an operator can do about a refusal. */
const REFUSALS = {
  HOST: 'a request for another host was refused with 421; if clients use this name, list it in allowedHosts',
  ORIGIN: 'a page of another origin was refused; if it is yours, list its origin in --origins',
};
const DOWN = 'the management API is down: requests fail at once, but for a trial every few seconds';
const ALONE = 'Redis cannot be used: this replica goes on by itself, and tries again every second';

/** Makes an observer that writes to a log. */
export function createLogObserver(log: Log, options: LogObserverOptions): Observer {
  if (options.level === 'off' || options.level === 'error') return {};
  const warnSometimes = createSampler(log);
  return {
    ...observeOperations(log, options),
    upstreamCall: (call) => (end) => {
      if (!isUpstreamFault(end)) return;
      const { cause, action, method, template } = call;
      const { status, failure, duration } = end;
      const causes = { code: failure?.code ?? null, cause: failure?.cause ?? null };
      const fields = { requestId: requestIdOf(cause), action, method, template, status, ...causes };
      log.warn('a call of the management API failed', {
        ...{ event: 'upstream_failure', ...fields },
        duration: Math.round(duration),
      });
    },
    invalidResponse: ({ cause, action, template, status, problem }) =>
      log.warn('the management API sent an invalid response', {
        ...{ event: 'invalid_response', requestId: requestIdOf(cause), action, template, status, problem },
      }),
    assembly:
      ({ length }) =>
      ({ problem, duration }) => {
        const fields = { event: 'assembly', length, duration: Math.round(duration) };
        if (problem === null) log.info('a schema was assembled', fields);
        else log.warn('a schema could not be assembled', { ...fields, problem });
      },
    breaker({ from, to }) {
      const fields = { event: 'breaker', state: to };
      if (from === 'closed') log.warn(DOWN, fields);
      else if (to === 'closed') log.warn('the management API is back', fields);
    },
    sharing({ isAlone, reason }) {
      const fields = { event: 'sharing', alone: isAlone, reason };
      if (isAlone) log.warn(ALONE, fields);
      else log.info('this replica shares with others through Redis', fields);
    },
    limit: ({ limit, address }) =>
      warnSometimes(limit, 'a limit was hit', { event: 'limit', limit, address }),
    refusal({ reason, value, address }) {
      const named = { [reason.toLowerCase()]: value.slice(0, NAME_LENGTH), address };
      warnSometimes(reason, REFUSALS[reason], { event: 'refusal', ...named });
    },
    shutdown: ({ phase, operations }) =>
      log.info(`shutdown: ${phase}`, { event: 'shutdown', phase, operations }),
  };
}

function observeOperations(log: Log, { level, slowOperation }: LogObserverOptions): Observer {
  /** Milliseconds for which operations have waited for running actions. */
  const waits = new WeakMap<ObservedOperation, number>();
  return {
    operation: (begun) => (end) => {
      // A mutation sends one write after another, so its waits do not overlap.
      const worked = end.duration - (waits.get(begun) ?? 0);
      if (worked >= slowOperation && !STREAMS.has(end.document?.type)) {
        const slowestCalls = [...end.calls].sort((a, b) => b.ms - a.ms).slice(0, CALLS_OF_SLOW_OPERATION);
        log.warn('slow operation', { ...describeOperation(begun, end), slowestCalls });
      } else if (level === 'info') log.info('operation', describeOperation(begun, end));
    },
    actionWait({ cause }) {
      const begunAt = performance.now();
      return () => {
        if (cause !== null) waits.set(cause, (waits.get(cause) ?? 0) + performance.now() - begunAt);
      };
    },
  };
}

function describeOperation({ requestId, address }: ObservedOperation, end: OperationEnd): LogFields {
  const { caller, document, calls } = end;
  return {
    event: 'operation',
    requestId,
    transport: end.transport,
    address,
    caller: caller?.kind ?? null,
    callerKey: caller === null || caller.kind === 'anonymous' ? null : caller.key.slice(0, KEY_LENGTH),
    type: document?.type ?? null,
    operation: document?.name?.slice(0, NAME_LENGTH) ?? null,
    hash: document?.hash ?? null,
    outcome: end.outcome,
    status: end.status,
    codes: end.codes,
    duration: Math.round(end.duration),
    calls: calls.length,
    upstreamTime: calls.reduce((sum, { ms }) => sum + ms, 0),
    coalesced: end.coalesced,
    cost: end.cost,
  };
}

/** Whether the upstream is at fault. It is not for a request that nobody needs any more, or that a limit of the facade ended. */
function isUpstreamFault({ status, failure }: UpstreamCallEnd): boolean {
  if (failure === null) return status !== null && status >= 500;
  return failure.code !== 'ABORTED' && failure.code !== 'UPSTREAM_BUDGET_EXCEEDED';
}

/** The request that needs a call; null for calls that no request waits for, and for pollers, which several requests may share. */
function requestIdOf(cause: CallCause | null): string | null {
  if (cause === null || 'poller' in cause) return null;
  return 'requestId' in cause ? cause.requestId : requestIdOf(cause.cause);
}

/** Makes a function that logs the first event of a kind, and then at most one in ten seconds, with the hits since the last line and in all. */
function createSampler(log: Log): (kind: string, message: string, fields: LogFields) => void {
  const counts = new Map<string, { hits: number; total: number; loggedAt: number }>();
  return (kind, message, fields) => {
    const now = performance.now();
    const count = counts.get(kind) ?? { hits: 0, total: 0, loggedAt: Number.NEGATIVE_INFINITY };
    counts.set(kind, count);
    count.hits += 1;
    count.total += 1;
    if (now - count.loggedAt < INTERVAL) return;
    log.warn(message, { ...fields, hits: count.hits, total: count.total });
    Object.assign(count, { hits: 0, loggedAt: now });
  };
}
