// Gives the states of one caller's running actions to all streams that read them.
import type { PollerCause } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import { isMissing, SubscriptionLimitError } from '../errors.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionPoller, PollerListener } from './action-poller.ts';
import { hasChanged } from './action-state-api.ts';
import { ActionStream } from './action-stream.ts';
import { WatchedAction } from './watched-action.ts';

/** How much one caller may watch at a time. */
export interface StreamLimits {
  /** Maximum number of open streams for each caller; default 1,000. */
  readonly streams: number;
  /** Maximum number of actions that each caller watches at a time; default 10,000. */
  readonly actions: number;
}

/** What polls for the streams of one caller. */
type Poller = Pick<ActionPoller, 'add' | 'remove' | 'watchList' | 'hurry' | 'close'>;

/** The streams of one caller. Those of the same action share what one poller reads. */
export class CallerStreams {
  readonly #limits: StreamLimits;
  readonly #poller: Poller;
  readonly #onIdle: () => void;
  readonly #actions = new Map<string, WatchedAction>();
  /** The open streams, each with the number of actions that it still follows. */
  readonly #streams = new Map<ActionStream, number>();
  /** The streams of all unfinished actions, and the last known states of these. */
  readonly #pending = new Set<ActionStream>();
  readonly #unfinished = new Map<string, JsonObject>();
  #isStopped = false;

  /**
   * @param createPoller Creates what polls for the streams.
   * @param onEnd Called when an action is seen to have ended, before its readers learn it.
   * @param onIdle Called when the last stream has ended.
   */
  constructor(
    limits: StreamLimits,
    createPoller: (listener: PollerListener) => Poller,
    onEnd: (id: string, hasSucceeded: boolean) => void,
    onIdle: () => void,
  ) {
    this.#limits = limits;
    this.#onIdle = onIdle;
    this.#poller = createPoller({
      onState: (kind, id, state) => {
        if (state['finished'] === true) onEnd(id, state['status'] === true);
        if (kind === 'watched') this.#publish(id, state);
        else this.#publishUnfinished(id, state);
      },
      onFailure: (id, error) => this.#fail(id, error),
    });
  }

  /** Number of actions and of streams of unfinished actions that are watched. */
  get size(): number {
    return this.#actions.size + this.#pending.size;
  }

  /** Has changes seen soon: the caller has written. */
  hurry(): void {
    this.#poller.hurry();
  }

  /** Ends all streams with an error. */
  close(error: Error): void {
    for (const stream of [...this.#streams.keys()]) stream.fail(error);
    this.#stop();
  }

  /** Opens a stream of some actions. See `CallerActions.watch`. */
  watch(
    ids: readonly string[],
    minInterval: number,
    signal: Abortable | undefined,
    meter: CallMeter | null,
    cause: PollerCause,
  ): ActionStream {
    const uniqueIds = [...new Set(ids)];
    const { actions: maxActions } = this.#limits;
    if (this.#actions.size + uniqueIds.length > maxActions)
      throw new SubscriptionLimitError(
        `You watch ${this.#actions.size} running actions; the maximum for one caller is ${maxActions}.`,
      );
    const stream = this.#open(uniqueIds.length, minInterval, signal, (closed) => {
      for (const id of uniqueIds) this.#removeReader(id, closed);
    });
    if (signal?.aborted === true) return stream;
    const added: WatchedAction[] = [];
    for (const id of uniqueIds) {
      const action = this.#actions.get(id) ?? new WatchedAction(id, cause);
      if (action.readers.size === 0) added.push(action);
      this.#actions.set(id, action);
      action.addReader(stream, meter);
    }
    if (uniqueIds.length === 0) stream.finish();
    this.#poller.add(added);
    return stream;
  }

  /** Opens a stream of all unfinished actions. */
  watchUnfinished(signal: Abortable | undefined): ActionStream {
    const stream = this.#open(0, 0, signal, (closed) => {
      this.#pending.delete(closed);
      if (this.#pending.size > 0) return;
      this.#unfinished.clear();
      this.#poller.watchList(false);
    });
    if (signal?.aborted === true) return stream;
    for (const [id, state] of this.#unfinished) stream.put(id, state, false);
    this.#pending.add(stream);
    if (this.#pending.size === 1) this.#poller.watchList(true);
    return stream;
  }

  /** Opens a stream. The signal closes it even where no reader has called `next()`. */
  #open(
    actions: number,
    minInterval: number,
    signal: Abortable | undefined,
    onReturn: (stream: ActionStream) => void,
  ): ActionStream {
    const { streams: maxStreams } = this.#limits;
    if (this.#streams.size >= maxStreams) {
      throw new SubscriptionLimitError(
        `You have ${maxStreams} streams of actions open, which is the maximum for one caller.`,
      );
    }
    const close = (): void => void stream.return();
    const stream: ActionStream = new ActionStream(minInterval, () => {
      signal?.removeEventListener('abort', close);
      this.#streams.delete(stream);
      onReturn(stream);
      if (this.#streams.size === 0) this.#stop();
    });
    this.#streams.set(stream, actions);
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close);
    return stream;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#poller.close();
    this.#actions.clear();
    this.#onIdle();
  }

  #removeReader(id: string, stream: ActionStream): void {
    const action = this.#actions.get(id);
    if (action?.readers.delete(stream) !== true || action.readers.size > 0) return;
    this.#actions.delete(id);
    this.#poller.remove(id);
  }

  #publish(id: string, state: JsonObject): void {
    const action = this.#actions.get(id);
    if (action === undefined || (action.state !== null && !hasChanged(action.state, state))) return;
    action.state = state;
    const isFinished = state['finished'] === true;
    for (const stream of action.readers.keys()) stream.put(id, state, isFinished);
    if (isFinished) this.#end(action);
  }

  #publishUnfinished(id: string, state: JsonObject): void {
    if (this.#pending.size === 0) return;
    const before = this.#unfinished.get(id);
    const isFinished = state['finished'] === true;
    if (before === undefined ? isFinished : !hasChanged(before, state)) return;
    if (isFinished) this.#unfinished.delete(id);
    else this.#unfinished.set(id, state);
    for (const stream of this.#pending) stream.put(id, state, isFinished);
  }

  #fail(id: string | null, error: unknown): void {
    if (id === null) {
      for (const stream of this.#pending) stream.fail(error);
      this.#pending.clear();
      this.#unfinished.clear();
      return;
    }
    this.#unfinished.delete(id);
    const action = this.#actions.get(id);
    if (action === undefined) return;
    for (const stream of action.readers.keys()) {
      if (isMissing(error) && this.#streams.get(stream) !== 1) stream.put(id, error as Error, true);
      else stream.fail(error);
    }
    this.#end(action);
  }

  /** Ends one action of its streams. Each stream ends with its last one. */
  #end(action: WatchedAction): void {
    this.#actions.delete(action.id);
    for (const stream of action.readers.keys()) {
      const remaining = (this.#streams.get(stream) ?? 0) - 1;
      this.#streams.set(stream, remaining);
      if (remaining === 0) stream.finish();
    }
  }
}
