// Writes log lines about operations, upstream failures and limits.
import type { Log, LogFields, LogLevel } from '../../log.ts';
import type {
  CallCause,
  CallSummary,
  InvalidResponse,
  ObservedOperation,
  Observer,
  OperationEnd,
  UpstreamCall,
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

/** Close codes of WebSockets whose client has broken the protocol, those of graphql-transport-ws above 4000. */
const PROTOCOL_ERRORS: ReadonlySet<number> = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4406, 4409, 4429]);

/** What an operator can do about a refusal. */
const REFUSALS = {
  HOST: 'a request for another host was refused with 421; if clients use this name, list it in allowedHosts',
  ORIGIN: 'a page of another origin was refused; if it is yours, list its origin in --origins',
};

/** Makes an observer that writes to a log. */
export function createLogObserver(log: Log, { level, slowOperation }: LogObserverOptions): Observer {
  if (level === 'off' || level === 'error') return {};
  const hasInfo = level === 'info';
  const sampler = createSampler();

  /** Milliseconds for which operations have waited for running actions. */
  const waits = new WeakMap<ObservedOperation, number>();

  const operation = (begun: ObservedOperation) => (end: OperationEnd) => {
    // A mutation sends one write after another, so its waits do not overlap.
    const worked = end.duration - (waits.get(begun) ?? 0);
    const isSlow = worked >= slowOperation && !STREAMS.has(end.document?.type);
    if (isSlow)
      log.warn('slow operation', { ...describeOperation(begun, end), slowestCalls: slowestOf(end) });
    else if (hasInfo) log.info('operation', describeOperation(begun, end));
  };

  const upstreamCall = (call: UpstreamCall) => (end: UpstreamCallEnd) => {
    if (isUpstreamFault(end)) log.warn('a call of the management API failed', describeFailure(call, end));
  };

  return {
    operation,
    upstreamCall,
    actionWait({ cause }) {
      const begunAt = performance.now();
      return () => {
        if (cause !== null) waits.set(cause, (waits.get(cause) ?? 0) + performance.now() - begunAt);
      };
    },
    invalidResponse: (response) =>
      log.warn('the management API sent an invalid response', describeInvalid(response)),
    assembly:
      ({ length }) =>
      ({ problem, duration }) => {
        const fields = { event: 'assembly', length, duration: Math.round(duration) };
        if (problem === null) log.info('a schema was assembled', fields);
        else log.warn('a schema could not be assembled', { ...fields, problem });
      },
    breaker({ from, to }) {
      if (from === 'closed')
        log.warn('the management API is down: requests fail at once, but for a trial every few seconds', {
          event: 'breaker',
          state: to,
        });
      else if (to === 'closed') log.warn('the management API is back', { event: 'breaker', state: to });
    },
    sharing({ isAlone, reason }) {
      const fields = { event: 'sharing', alone: isAlone, reason };
      if (isAlone)
        log.warn(
          'Redis cannot be used: this replica goes on by itself, and tries again every second',
          fields,
        );
      else log.info('this replica shares with others through Redis', fields);
    },
    limit({ limit, address }) {
      const counts = sampler(limit);
      if (counts !== null) log.warn('a limit was hit', { event: 'limit', limit, address, ...counts });
    },
    refusal({ reason, value, address }) {
      const counts = sampler(reason);
      const named = { [reason.toLowerCase()]: value.slice(0, NAME_LENGTH), address };
      if (counts !== null) log.warn(REFUSALS[reason], { event: 'refusal', ...named, ...counts });
    },
    socket:
      ({ address }) =>
      ({ code }) => {
        const counts = PROTOCOL_ERRORS.has(code) ? sampler(`socket ${code}`) : null;
        if (counts !== null)
          log.info('a client has broken the protocol of its WebSocket', {
            event: 'socket',
            code,
            address,
            ...counts,
          });
      },
    shutdown: ({ phase, operations }) =>
      log.info(`shutdown: ${phase}`, { event: 'shutdown', phase, operations }),
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

const slowestOf = ({ calls }: OperationEnd): readonly CallSummary[] =>
  [...calls].sort((a, b) => b.ms - a.ms).slice(0, CALLS_OF_SLOW_OPERATION);

/** Whether the upstream is at fault. It is not for a request that nobody needs any more, or that a limit of the facade ended. */
function isUpstreamFault({ status, failure }: UpstreamCallEnd): boolean {
  if (failure === null) return status !== null && status >= 500;
  return failure.code !== 'ABORTED' && failure.code !== 'UPSTREAM_BUDGET_EXCEEDED';
}

function describeFailure(call: UpstreamCall, { status, failure, duration }: UpstreamCallEnd): LogFields {
  return {
    event: 'upstream_failure',
    requestId: requestIdOf(call.cause),
    action: call.action,
    method: call.method,
    template: call.template,
    status,
    code: failure?.code ?? null,
    cause: failure?.cause ?? null,
    duration: Math.round(duration),
  };
}

function describeInvalid(response: InvalidResponse): LogFields {
  const { action, template, status, problem } = response;
  return {
    event: 'invalid_response',
    requestId: requestIdOf(response.cause),
    action,
    template,
    status,
    problem,
  };
}

/** The request that needs a call; null for calls that no request waits for, and for pollers, which several requests may share. */
function requestIdOf(cause: CallCause | null): string | null {
  if (cause === null || 'poller' in cause) return null;
  return 'requestId' in cause ? cause.requestId : requestIdOf(cause.cause);
}

/** Shortest time between two lines about the same thing. Milliseconds. */
const INTERVAL = 10_000;

/** The events that one line stands for. */
interface Sample {
  /** Since the last line, with this one. */
  readonly hits: number;
  /** Since the start. */
  readonly total: number;
}

/** Makes a function that counts events by name. It returns what to log: at the first event, and then at most every ten seconds. */
function createSampler(): (name: string) => Sample | null {
  const counts = new Map<string, { hits: number; total: number; loggedAt: number }>();
  return (name) => {
    const now = performance.now();
    const count = counts.get(name) ?? { hits: 0, total: 0, loggedAt: Number.NEGATIVE_INFINITY };
    counts.set(name, count);
    count.hits += 1;
    count.total += 1;
    if (now - count.loggedAt < INTERVAL) return null;
    const { hits, total } = count;
    Object.assign(count, { hits: 0, loggedAt: now });
    return { hits, total };
  };
}
