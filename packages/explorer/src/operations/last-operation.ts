// Remembers what the panels show of the last operation: its upstream calls, the progress of the actions that it follows, and when a
// live query has changed.
import { create } from 'zustand';

/** One upstream call, as `extensions.upstream.trace` lists it (docs/contract.md, Calls). */
export interface TracedCall {
  readonly action: string;
  readonly path: string;
  readonly status: number | null;
  /** Milliseconds from the start of the operation. */
  readonly start: number;
  /** Milliseconds until the end of the response. */
  readonly ms: number;
  readonly reason?: string;
  readonly fields?: readonly string[];
  /** Where the answer came from if the operation made no call. */
  readonly from?: string;
}

/** A call with its place among those of the operation. */
export interface NumberedCall extends TracedCall {
  readonly number: number;
}

/** The progress of one action, as far as the subscription has selected it. */
export interface Progress {
  readonly id?: string;
  readonly outcome?: string | null;
  readonly finished?: boolean;
  readonly label?: string | null;
  /** From 0 to 1; null when the total is unknown. */
  readonly progress?: number | null;
}

/** An action of a subscription, with its times in this page. */
export interface FollowedAction {
  readonly key: string;
  readonly state: Progress;
  readonly firstSeen: number;
  /** Null while the action is running. */
  readonly endedAt: number | null;
}

/** An event of a subscription. */
export interface SeenEvent {
  readonly number: number;
  readonly at: number;
  readonly state: Progress;
}

/** The results of a live query. */
export interface LiveResults {
  /** Seconds between two executions. */
  readonly interval: number;
  /** When the last result came. */
  readonly changedAt: number;
  /** How many results came after the first. */
  readonly changes: number;
}

/** What the server has spent on an operation, and what is left (docs/contract.md, Cost). */
export interface ResponseCost {
  readonly estimate?: number;
  readonly remaining: number;
  readonly limit: number;
  readonly resetAt: string;
}

/** A response of HTTP. */
export interface LastResponse {
  readonly status: number;
  /** Milliseconds from the request to the end of the response; of a stream, to its first result. */
  readonly ms: number;
  /** Bytes of the body, not compressed; null for a stream. */
  readonly size: number | null;
  /** Null where the server does not know its client. */
  readonly cost: ResponseCost | null;
}

/** The last operation. */
export interface LastOperation {
  readonly name: string | null;
  readonly isSubscription: boolean;
  /** Null until the server has answered. */
  readonly response: LastResponse | null;
  /** Data of the last result; null before it. */
  readonly data: unknown;
  /** Null until the server has answered. */
  readonly calls: readonly NumberedCall[] | null;
  /** Milliseconds that the upstream took in total. */
  readonly ms: number | null;
  readonly actions: readonly FollowedAction[];
  /** The newest one first. */
  readonly events: readonly SeenEvent[];
  /** Null for an operation that is not live, and before its first result. */
  readonly live: LiveResults | null;
  readonly isStreaming: boolean;
  /** Whether the user has stopped a live query. */
  readonly isLiveStopped: boolean;
}

/** What is known of an operation before it is sent. */
export interface OperationShape {
  readonly name: string | null;
  /** Whether the result comes in several events. */
  readonly isStream: boolean;
  readonly isSubscription: boolean;
  readonly isLive: boolean;
}

const MOST_EVENTS = 50;
const MOST_ACTIONS = 20;

/** The last operation, for React. */
export const useLastOperation = create<LastOperation | null>(() => null);

const { getState: readLast, setState } = useLastOperation;
const show = (operation: LastOperation): void => setState(operation, true);

/** Forgets the stream that another tab shows. Turning to another tab ends it. */
export function forgetStream(): void {
  const last = readLast();
  if (last === null || (last.actions.length === 0 && last.live === null)) return;
  show({ ...last, actions: [], events: [], live: null, isStreaming: false });
}

/** Forgets all, for another user. */
export const forgetOperation = (): void => setState(null, true);

/** Begins an operation. What earlier operations still report is ignored. */
export function beginOperation({ name, isStream, isSubscription, isLive }: OperationShape): OperationReport {
  const nothing = { response: null, data: null, calls: null, ms: null, actions: [], events: [], live: null };
  let own: LastOperation = {
    name,
    isSubscription,
    ...nothing,
    isStreaming: isStream,
    isLiveStopped: false,
  };
  show(own);
  const update = (change: Partial<LastOperation>): void => {
    if (readLast() !== own) return;
    own = { ...own, ...change };
    show(own);
  };
  return {
    addCalls: (calls, ms) => {
      // Each result of a live query has the calls of a whole execution.
      const earlier = isLive ? [] : (own.calls ?? []);
      const added = calls.map((call, index) => ({ ...call, number: earlier.length + index }));
      update({ calls: [...earlier, ...added], ms });
    },
    addResponse: (response) => update({ response }),
    addData: (data) => update({ data }),
    addState: (state) => update(withState(own, state)),
    addResult: (interval) => update({ live: withResult(own.live, interval) }),
    end: () => update({ isStreaming: false, calls: own.calls ?? [] }),
    stop: () => update({ isStreaming: false, calls: own.calls ?? [], isLiveStopped: isLive }),
  };
}

/** Reports what happens in one operation. */
export interface OperationReport {
  addCalls(calls: readonly TracedCall[], ms: number): void;
  addResponse(response: LastResponse): void;
  /** Reports the data of a result, which replaces that of the one before. */
  addData(data: unknown): void;
  addState(state: Progress): void;
  /** Reports a result of a query with `@live`. @param interval In seconds; null if the query is not live after all. */
  addResult(interval: number | null): void;
  end(): void;
  /** Ends an operation that the user has stopped. */
  stop(): void;
}

/** Whether a state is the last one of its action, as far as the selection shows. */
const isFinished = ({ finished, outcome }: Progress): boolean =>
  finished === true || (outcome ?? 'RUNNING') !== 'RUNNING';

const withResult = (live: LiveResults | null, interval: number | null): LiveResults | null =>
  interval === null
    ? live
    : { interval, changedAt: Date.now(), changes: live === null ? 0 : live.changes + 1 };

function withState(own: LastOperation, state: Progress): Partial<LastOperation> {
  const key = state.id ?? state.label ?? '';
  const now = Date.now();
  const known = own.actions.find((action) => action.key === key);
  const action = {
    key,
    state: { ...known?.state, ...state },
    firstSeen: known?.firstSeen ?? now,
    endedAt: isFinished(state) ? now : null,
  };
  const others = own.actions.filter((one) => one !== known);
  const number = (own.events[0]?.number ?? 0) + 1;
  return {
    actions: (known === undefined
      ? [action, ...others]
      : own.actions.map((one) => (one === known ? action : one))
    ).slice(0, MOST_ACTIONS),
    events: [{ number, at: now, state }, ...own.events].slice(0, MOST_EVENTS),
  };
}
