// Watches the running actions of one caller for the streams of this replica.
import { ALONE, type Replicas } from '../../sharing/replicas.ts';
import type { PollerCause } from '../../telemetry/observer.ts';
import type { Abortable } from '../abortable.ts';
import { isMissing, SubscriptionLimitError } from '../errors.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStateCalls, PollBudget, WatchOptions } from './action-calls.ts';
import { ActionPollers, type PolledActions } from './action-pollers.ts';
import type { EndsOfCaller } from './ended-actions.ts';
import { type ActionStream, LatestValueQueue } from './latest-value-queue.ts';
import type { ReadState } from './polling-messages.ts';
import { type SharedActions, SharedPolling } from './shared-polling.ts';
import type { Turns } from './turns.ts';
import { UnfinishedActions } from './unfinished-actions.ts';
import { hasChanged, WatchedAction } from './watched-action.ts';

/** What a watcher works with. */
export interface WatcherParts {
  readonly calls: ActionStateCalls;
  readonly options: WatchOptions;
  readonly budget: PollBudget;
  readonly turns: Turns;
  readonly replicas: Replicas;
  /** Null where there are no other replicas. */
  readonly ended: EndsOfCaller | null;
  /** Identifies the caller to the other replicas. */
  readonly name: string;
  /** Called when the last stream has ended. */
  readonly onIdle: () => void;
}

/** The streams of one caller and the actions that they watch. Each action has one poller, in this replica or in another one. */
export class CallerWatcher implements PolledActions, SharedActions {
  readonly unfinished = new UnfinishedActions();
  readonly #parts: WatcherParts;
  readonly #actions = new Map<string, WatchedAction>();
  /** The open streams, each with the number of actions that it still follows. */
  readonly #streams = new Map<ActionStream, number>();
  readonly #pollers: ActionPollers;
  /** Null where there are no other replicas. */
  readonly #sharing: SharedPolling | null;
  #isStopped = false;

  constructor(parts: WatcherParts) {
    const { calls, options, budget, replicas, name } = parts;
    this.#parts = parts;
    this.#pollers = new ActionPollers(calls, options, budget, this);
    this.#sharing = replicas.hasOthers ? new SharedPolling(replicas, name, this, options.lease) : null;
    if (this.#sharing === null) this.lead();
  }

  get size(): number {
    return this.#actions.size + this.unfinished.size;
  }

  close(error: Error): void {
    for (const stream of [...this.#streams.keys()]) stream.fail(error);
    this.#stop();
  }

  watch(
    ids: readonly string[],
    minInterval: number,
    signal?: Abortable,
    meter: CallMeter | null = null,
    cause: PollerCause = null,
  ): ActionStream {
    const uniqueIds = [...new Set(ids)];
    const { actions: maxActions } = this.#parts.options;
    if (this.#actions.size + uniqueIds.length > maxActions)
      throw new SubscriptionLimitError(
        `You watch ${this.#actions.size} running actions; the maximum for one caller is ${maxActions}.`,
      );
    const stream = this.#openStream(uniqueIds.length, minInterval, signal, (closed) => {
      for (const id of uniqueIds) this.#removeReader(id, closed);
    });
    if (signal?.aborted === true) return stream;
    for (const id of uniqueIds) {
      const end = this.endOf(id);
      if (end === undefined) this.#ensureAction(id, cause).addReader(stream, meter);
      else {
        stream.put(id, end, true);
        this.#endOne(stream);
      }
    }
    this.#pollers.assign();
    if (uniqueIds.length === 0) stream.finish();
    return stream;
  }

  watchUnfinished(signal?: Abortable): ActionStream {
    const stream = this.#openStream(0, 0, signal, (closed) => {
      this.unfinished.remove(closed);
      this.#sharing?.announce();
    });
    if (signal?.aborted === true) return stream;
    this.unfinished.add(stream);
    this.#pollers.assign();
    this.#sharing?.announce();
    return stream;
  }

  /** Opens a stream. The signal closes it even where no reader has called `next()`. */
  #openStream(
    actions: number,
    minInterval: number,
    signal: Abortable | undefined,
    onReturn: (stream: ActionStream) => void,
  ): ActionStream {
    const { streams: maxStreams } = this.#parts.options;
    if (this.#streams.size >= maxStreams) {
      throw new SubscriptionLimitError(
        `You have ${maxStreams} streams of actions open, which is the maximum for one caller.`,
      );
    }
    const close = (): void => void stream.return();
    const stream: ActionStream = new LatestValueQueue(minInterval, this.#parts.turns, () => {
      signal?.removeEventListener('abort', close);
      this.#streams.delete(stream);
      onReturn(stream);
      this.#pollers.assign();
      if (this.#streams.size === 0) this.#stop();
    });
    this.#streams.set(stream, actions);
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close);
    return stream;
  }

  /** Ends the watcher. Another replica polls what its own readers watch. */
  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#sharing?.close();
    this.#pollers.stop();
    this.#actions.clear();
    this.#parts.onIdle();
  }

  #ensureAction(id: string, cause: PollerCause): WatchedAction {
    let action = this.#actions.get(id);
    if (action === undefined) {
      action = new WatchedAction(id, this.#parts.options.interval, cause);
      this.#actions.set(id, action);
      this.#pollers.add(action);
      this.#sharing?.announce();
    }
    return action;
  }

  #removeReader(id: string, stream: ActionStream): void {
    const action = this.#actions.get(id);
    action?.removeReader(stream);
    if (action?.isWatched === false) this.#removeAction(action);
  }

  #removeAction(action: WatchedAction): void {
    this.#actions.delete(action.id);
    this.#pollers.remove(action);
    this.#sharing?.announce();
  }

  find(id: string): WatchedAction | undefined {
    return this.#actions.get(id);
  }

  get token(): number | null {
    return this.#sharing === null ? ALONE.token : this.#sharing.token;
  }

  publish(action: WatchedAction, state: JsonObject, token: number): void {
    if (this.#actions.get(action.id) !== action) return;
    const comparable = this.#sharing?.comparable(token) ?? token;
    action.token = comparable;
    if (action.state !== null && !hasChanged(action.state, state)) return;
    action.state = state;
    this.#parts.ended?.add(action.id, state);
    action.change = this.#sharing?.send(action.id, state, comparable) ?? 0;
    const isFinished = state['finished'] === true;
    for (const stream of action.readers) stream.put(action.id, state, isFinished);
    if (isFinished) this.#end(action);
  }

  publishUnfinished(id: string, state: JsonObject, token: number): void {
    if (this.unfinished.publish(id, state))
      this.#sharing?.sendUnfinished(id, state, this.#sharing.comparable(token));
  }

  fail(action: WatchedAction, error: unknown): void {
    if (this.#actions.get(action.id) !== action) return;
    this.#sharing?.sendFailure(action.id);
    for (const stream of action.readers) {
      if (isMissing(error) && this.#streams.get(stream) !== 1) stream.put(action.id, error as Error, true);
      else stream.fail(error);
    }
    this.#end(action);
  }

  failUnfinished(error: unknown): void {
    this.unfinished.fail(error);
  }

  /** Removes an action that has ended. */
  #end(action: WatchedAction): void {
    this.#removeAction(action);
    for (const stream of action.readers) this.#endOne(stream);
  }

  /** Ends one action of a stream. The stream ends with its last one. */
  #endOne(stream: ActionStream): void {
    const remaining = (this.#streams.get(stream) ?? 0) - 1;
    this.#streams.set(stream, remaining);
    if (remaining === 0) stream.finish();
  }

  get watched(): SharedActions['watched'] {
    const own = [...this.#actions.values()].filter(({ readers }) => readers.length > 0);
    return {
      actions: own.map(({ id, token }) => [id, Number.isFinite(token) ? token : null]),
      unfinished: this.unfinished.size > 0,
    };
  }

  lead(): void {
    this.#pollers.start();
  }

  follow(): void {
    this.#pollers.stop();
  }

  watchFor(replica: string, watched: ReadonlySet<string>, unfinished: boolean): void {
    for (const action of [...this.#actions.values()]) {
      if (watched.has(action.id) || !action.removeReplica(replica)) continue;
      if (!action.isWatched) this.#removeAction(action);
    }
    for (const id of watched)
      if (this.#actions.has(id) || this.#actions.size < this.#parts.options.actions)
        this.#ensureAction(id, null).addReplica(replica);
    if (unfinished) this.unfinished.replicas.add(replica);
    else this.unfinished.replicas.delete(replica);
    this.unfinished.forgetUnwatched();
    this.#pollers.assign();
  }

  readAfter(id: string, token: number): void {
    const action = this.#actions.get(id);
    if (action !== undefined && action.token < token) this.#pollers.readAfter(action, token);
  }

  endOf(id: string): JsonObject | undefined {
    return this.#parts.ended?.find(id);
  }

  changedSince(change: number, ids: ReadonlySet<string>): readonly ReadState[] {
    return [...this.#actions.values()].flatMap(({ id, state, token, change: changed }) =>
      state !== null && (changed > change || ids.has(id)) ? [[id, { ...state }, token] as ReadState] : [],
    );
  }

  get unfinishedStates(): readonly ReadState[] {
    const { states, token } = this.unfinished;
    return [...states].map(([id, state]) => [id, { ...state }, token]);
  }

  accept([id, state, token]: ReadState): boolean {
    const action = this.#actions.get(id);
    this.#parts.ended?.add(id, state);
    if (state['finished'] === true) this.#parts.calls.recordEnd(id);
    if (action === undefined) return true;
    if (token < action.token) return false;
    this.publish(action, state, token);
    return true;
  }

  acceptUnfinished(states: readonly ReadState[], isWhole: boolean): boolean {
    const { unfinished } = this;
    if (unfinished.size === 0) return true;
    if (states.some(([, , token]) => token < unfinished.token)) return false;
    for (const [id, state, token] of states) {
      unfinished.token = token;
      unfinished.publish(id, state);
    }
    if (isWhole)
      for (const id of unfinished.omittedFrom(new Map(states.map(([id]) => [id, true])))) this.read(id);
    return true;
  }

  read(id: string): void {
    this.#pollers.read(id);
  }

  limitTokens(time: number): void {
    for (const action of this.#actions.values()) action.token = Math.min(action.token, time);
    this.unfinished.token = Math.min(this.unfinished.token, time);
  }
}
