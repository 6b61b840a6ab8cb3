// Executes a live query for all clients who have sent it with one credential, and decides when.
import type { ExecutionResult } from 'graphql';
import type { ServedSchema } from '../../schema/registry.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { LiveExecutionEnd, Observer } from '../../telemetry/observer.ts';
import { createPatch, type PatchOperation } from './json-patch.ts';
import type { LiveExecution } from './live-execution.ts';
import { LiveReads } from './live-reads.ts';
import { LiveResult, type ResultTexts } from './live-result.ts';
import type { LiveStream } from './live-stream.ts';
import { type SharedExecution, SharedExecutions } from './shared-executions.ts';

/** Shortest time between the begins of two executions. What changes meanwhile is read by one. Milliseconds, as all times here. */
const SPACING = 500;
/** Pause after the first failure. It doubles up to the longest. */
const RETRY_PAUSE = { first: 1_000, longest: 15_000 };
/** Time after which a query that fails ends. */
const RETRY_TIME = 120_000;

/** Pause before this replica checks again whether another one still executes. Usually a message comes first. */
const BUSY_PAUSE = 250;

/** Why a query is executed. */
type Trigger = LiveExecutionEnd['trigger'];

/** What live queries are executed with. */
export interface LiveQueryParts {
  readonly texts: ResultTexts;
  readonly replicas: Replicas;
  readonly observer: Observer;
  /** Called when the last client has left. */
  readonly onIdle: (query: LiveQuery) => void;
}

/** A live query. It is executed while a client waits for a result, and ends when the last one has left. */
export class LiveQuery {
  readonly interval: number;
  readonly reads = new LiveReads();
  result: LiveResult | null = null;
  readonly #parts: LiveQueryParts;
  /** Null where there are no other replicas. */
  readonly #shared: SharedExecutions | null;
  readonly #streams = new Set<LiveStream>();
  /** `#changes` counts what may have changed the result. `#seen` is its value when the last successful execution began. */
  #changes = 1;
  #seen = 0;
  #isExecuting = false;
  #beganAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;
  #failure: { readonly since: number; readonly count: number } | null = null;
  /** When the next execution is due whatever else has happened; null: it follows from that. */
  #retryAt: number | null = null;
  #trigger: Trigger = 'start';
  #timer: NodeJS.Timeout | null = null;
  #patch: {
    readonly before: string;
    readonly after: LiveResult;
    readonly text: readonly PatchOperation[] | null;
  } | null = null;

  /** @param name Identifies it among those of all replicas; null: it is not shared with them. */
  constructor(name: string | null, interval: number, parts: LiveQueryParts) {
    this.interval = interval;
    this.#parts = parts;
    this.#shared =
      name !== null && parts.replicas.hasOthers ? new SharedExecutions(parts.replicas, name, this) : null;
  }

  /** Its clients, in the order in which they came. */
  get streams(): Iterable<LiveStream> {
    return this.#streams;
  }

  /** The last result, if it is known to show all changes that a new client may expect. */
  get freshResult(): LiveResult | null {
    return this.#seen === this.#changes ? this.result : null;
  }

  join(stream: LiveStream): void {
    if (this.#streams.size > 0) stream.execution.dropFirst();
    this.#streams.add(stream);
  }

  leave(stream: LiveStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    this.#stopWaiting();
    this.result?.forget();
    this.#shared?.close();
    this.#parts.onIdle(this);
  }

  /** Ends it with a result without data, or with an error. */
  end(result: ExecutionResult): void {
    for (const stream of this.#streams) stream.fail(result);
  }

  /** Has it executed soon, because what it has read may have changed. */
  onChange(trigger: Trigger): void {
    this.#changes += 1;
    this.#trigger = trigger;
    this.#shared?.onChange();
    this.#schedule();
  }

  /** Called when a client waits for a result. */
  onWaiting(): void {
    this.#schedule();
  }

  /** Has it executed again, because the data of its last result is not kept. */
  readAgain(): void {
    this.reads.forget();
    if (this.#seen === this.#changes) this.onChange('start');
  }

  /** The changes from the data of an earlier result; null where they would be longer than the data. */
  patchFrom(before: string, after: LiveResult): readonly PatchOperation[] | null {
    if (this.#patch?.before !== before || this.#patch.after !== after) {
      const { text } = after;
      const patch = text === undefined ? null : createPatch(JSON.parse(before), JSON.parse(text));
      const isShort = patch !== null && text !== undefined && JSON.stringify(patch).length < text.length;
      this.#patch = { before, after, text: isShort ? patch : null };
    }
    return this.#patch.text;
  }

  /** Plans the next execution. A query whose clients have not read its last result waits for one of them. */
  #schedule(): void {
    this.#stopWaiting();
    if (this.#isExecuting || this.#waiting === null) return;
    const dueAt = this.#dueAt;
    this.#timer = setTimeout(() => void this.#execute(), Math.max(0, dueAt - performance.now()));
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** The client for whom the next execution is; null while none waits. */
  get #waiting(): LiveStream | null {
    for (const stream of this.#streams) if (stream.isWaiting) return stream;
    return null;
  }

  get #dueAt(): number {
    if (this.#retryAt !== null) return this.#retryAt;
    return this.#seen === this.#changes ? this.#endedAt + this.interval : this.#beganAt + SPACING;
  }

  async #execute(): Promise<void> {
    this.#timer = null;
    const stream = this.#waiting;
    if (stream === null) return;
    const { execution } = stream;
    const changes = this.#changes;
    const trigger = this.#failure !== null ? 'retry' : this.#seen === changes ? 'interval' : this.#trigger;
    this.#isExecuting = true;
    const beganAt = performance.now();
    const execute = () => execution.execute(this.reads);
    const outcome = await (this.#shared?.run(execute) ?? execute());
    this.#isExecuting = false;
    this.#retryAt = null;
    const now = performance.now();
    if (outcome === 'busy') this.#retryAt = now + BUSY_PAUSE;
    else if (outcome !== 'elsewhere') {
      // What others wait for is executed again for one of them, if the client has left before the end.
      const { hasLeft } = execution;
      if (!hasLeft) [this.#beganAt, this.#endedAt] = [beganAt, now];
      const end = hasLeft ? null : this.#take(outcome, execution, changes);
      const isOver = end === null || end === 'failed';
      void this.#shared?.finish(isOver ? null : this.result, this.reads.resources);
      if (end !== null)
        this.#parts.observer.liveExecution?.({ trigger, outcome: end, duration: now - beganAt });
    }
    this.#schedule();
  }

  #take(
    outcome: ExecutionResult | null,
    execution: LiveExecution,
    changes: number,
  ): LiveExecutionEnd['outcome'] {
    if (outcome !== null && (outcome.data === undefined || outcome.data === null)) {
      this.#fail(outcome);
      return 'failed';
    }
    this.#failure = null;
    this.#seen = changes;
    if (outcome === null) {
      this.#wake();
      return 'unchanged';
    }
    const result = LiveResult.of(this.#parts.texts, outcome);
    execution.own(result);
    return this.#replace(result) ? 'changed' : 'same';
  }

  takeShared({ result, resources, isLater }: SharedExecution): void {
    const served = this.#served;
    if (served !== null) this.reads.adopt(resources, served);
    this.#parts.observer.liveExecution?.({
      trigger: 'elsewhere',
      outcome: result === null ? 'same' : 'changed',
      duration: 0,
    });
    if (isLater) {
      this.#failure = this.#retryAt = null;
      this.#seen = this.#changes;
      this.#endedAt = performance.now();
    }
    if (result === null) this.#wake();
    else this.#replace(LiveResult.received(this.#parts.texts, result));
    this.#schedule();
  }

  /** The schema of one of its clients. */
  get #served(): ServedSchema | null {
    for (const { execution } of this.#streams) return execution.session.served;
    return null;
  }

  /** Takes a result. Returns whether it differs from the last. */
  #replace(result: LiveResult): boolean {
    const before = this.result;
    this.result = result;
    this.#wake();
    // Those who wait have taken it then. Others read its text.
    setImmediate(() => {
      before?.forget();
      result.release();
      this.#patch = null;
    });
    return before?.digest !== result.digest;
  }

  /** Repeats an execution that may succeed later, and ends the query otherwise. */
  #fail(result: ExecutionResult): void {
    const now = performance.now();
    const { since, count } = this.#failure ?? { since: now, count: 0 };
    this.#failure = { since, count: count + 1 };
    const codes = result.errors?.map(({ extensions }) => extensions['code']) ?? [];
    // Who begins now will be sent to another server.
    const isClosing = codes.includes('SHUTTING_DOWN');
    const mayPass =
      result.errors?.every(({ extensions }) => extensions['retryable'] === true) === true &&
      !codes.includes('COST_LIMIT_EXCEEDED');
    const { first, longest } = RETRY_PAUSE;
    if (isClosing || (mayPass && this.result !== null && now - since < RETRY_TIME))
      this.#retryAt = now + Math.min(longest, first * 2 ** count);
    else this.end(result);
  }

  #wake(): void {
    for (const stream of this.#streams) stream.wake();
  }
}
