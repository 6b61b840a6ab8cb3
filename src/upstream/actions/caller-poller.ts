// Polls one caller's running actions for all streams that read them: some by long polls, the others through the list of unfinished states.
import pLimit from 'p-limit';
import type { PollerCause } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import { SubscriptionLimitError } from '../errors.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { ActionStream, sharedMeter, WatchedAction } from './action-stream.ts';
import { type PollSource, pollAction, pollList, type RepeatedPoll } from './repeated-poll.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
const MAX_LONG_POLLS = 8;
/** Maximum number of concurrent reads of actions that the list omits, for each caller. */
const MAX_READS = 8;
/** Longest pause between two reads of a running action that the list omits, in milliseconds. */
const MAX_CHECK_DELAY = 30_000;

/** What a poller works with. */
export interface PollerParts extends PollSource {
  /** Streams and actions at a time, see `WatchOptions`. */
  readonly limits: PollSource['limits'] & { readonly streams: number; readonly actions: number };
  /** The long polls that may still be opened, over all callers. */
  readonly budget: { remaining: number };
  /** Called when an action is seen to have ended, before its readers learn it. */
  readonly onEnd: (id: string, hasSucceeded: boolean) => void;
  /** Called when the last stream has ended. */
  readonly onIdle: () => void;
}

/**
 * The running actions of one caller. An action is polled while a stream reads it, or while a stream reads all unfinished actions and the
 * action is one of them. A long poll reads it, or the list of unfinished actions does, which is read only while that is needed.
 */
export class CallerPoller {
  readonly #parts: PollerParts;
  readonly #actions = new Map<string, WatchedAction>();
  readonly #streams = new Set<ActionStream>();
  /** The streams of all unfinished actions. */
  readonly #pending = new Set<ActionStream>();
  #list: RepeatedPoll | null = null;
  /** Actions that have ended since the last list, so that the one that is being read may show them as unfinished. */
  readonly #ended = new Set<string>();
  #longPolls = 0;
  readonly #readLimit = pLimit(MAX_READS);
  #isStopped = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /** Number of actions and of streams of unfinished actions that are watched. */
  get size(): number {
    return this.#watched + this.#pending.size;
  }

  /** Polls soon, and more often for a while: the caller has written, so changes are likely. */
  hurry(): void {
    this.#list?.hurry();
    for (const { poll } of this.#actions.values()) poll?.hurry();
  }

  /** Ends all streams with an error. */
  close(error: Error): void {
    for (const stream of [...this.#streams]) stream.fail(error);
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
    const { actions: max } = this.#parts.limits;
    const watched = this.#watched;
    if (watched + uniqueIds.length > max)
      throw new SubscriptionLimitError(
        `You watch ${watched} running actions; the maximum for one caller is ${max}.`,
      );
    const stream = this.#open(uniqueIds.length, minInterval, signal, (closed) => {
      for (const id of uniqueIds) this.#removeReader(id, closed);
    });
    if (signal?.aborted === true) return stream;
    const actions = uniqueIds.map((id) => this.#add(id));
    for (const action of actions) action.addReader(stream, meter, cause);
    if (actions.length === 0) stream.finish();
    const list = this.#list;
    this.#assign();
    if (actions.some(({ poll, state }) => poll === null && state === null)) list?.hurry();
    return stream;
  }

  /** Opens a stream of all unfinished actions. */
  watchUnfinished(signal: Abortable | undefined): ActionStream {
    const stream = this.#open(0, 0, signal, (closed) => {
      this.#pending.delete(closed);
      if (this.#pending.size > 0) return;
      for (const action of this.#actions.values()) {
        action.isPending = false;
        if (action.readers.size === 0) this.#drop(action);
      }
    });
    if (signal?.aborted === true) return stream;
    for (const { id, state, isPending } of this.#actions.values())
      if (isPending && state !== null) stream.put(id, state, false);
    this.#pending.add(stream);
    this.#assign();
    return stream;
  }

  /** Number of actions that streams of their own read. */
  get #watched(): number {
    if (this.#pending.size === 0) return this.#actions.size;
    return [...this.#actions.values()].filter(({ readers }) => readers.size > 0).length;
  }

  /** Opens a stream. The signal closes it even where no reader has called `next()`. */
  #open(
    actions: number,
    minInterval: number,
    signal: Abortable | undefined,
    onReturn: (closed: ActionStream) => void,
  ): ActionStream {
    const { streams: max } = this.#parts.limits;
    if (this.#streams.size >= max)
      throw new SubscriptionLimitError(
        `You have ${max} streams of actions open, which is the maximum for one caller.`,
      );
    const close = (): void => void stream.return();
    const stream: ActionStream = new ActionStream(actions, minInterval, () => {
      signal?.removeEventListener('abort', close);
      this.#streams.delete(stream);
      onReturn(stream);
      if (this.#streams.size === 0) this.#stop();
      else this.#assign();
    });
    this.#streams.add(stream);
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close);
    return stream;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const action of this.#actions.values()) this.#drop(action);
    this.#stopList();
    this.#parts.onIdle();
  }

  #add(id: string): WatchedAction {
    const action = this.#actions.get(id) ?? new WatchedAction(id, this.#parts.limits.interval);
    this.#actions.set(id, action);
    return action;
  }

  /** Polls and reads an action no longer. */
  #drop(action: WatchedAction): void {
    this.#actions.delete(action.id);
    action.poll?.stop();
    action.read?.abort();
  }

  #removeReader(id: string, stream: ActionStream): void {
    const action = this.#actions.get(id);
    if (action?.readers.delete(stream) !== true || action.readers.size > 0) return;
    if (action.isPending) {
      action.poll?.stop();
      action.poll = null;
    } else this.#drop(action);
  }

  /** Gives free long polls to actions that have readers of their own, and starts or stops reading the list. */
  #assign(): void {
    if (this.#isStopped) return;
    const { budget } = this.#parts;
    let needsList = this.#pending.size > 0;
    for (const action of this.#actions.values()) {
      if (action.poll !== null || action.readers.size === 0) continue;
      const isFree = this.#longPolls < MAX_LONG_POLLS && budget.remaining > 0;
      if (isFree && action.read === null) this.#openPoll(action);
      else needsList = true;
      if (!isFree) break;
    }
    if (needsList) this.#list ??= this.#openList();
    else this.#stopList();
  }

  #openPoll(action: WatchedAction): void {
    const { budget } = this.#parts;
    this.#longPolls += 1;
    budget.remaining -= 1;
    action.poll = pollAction(action, this.#parts, {
      onAnswer: (state) => this.#publish(action, state),
      onFailure: (error) => this.#fail(action, error),
      onEnd: () => {
        this.#longPolls -= 1;
        budget.remaining += 1;
        this.#assign();
      },
    });
  }

  #openList(): RepeatedPoll {
    // A read of the list counts for each reader whose action is watched through it.
    const meter = sharedMeter(() => this.#listed.flatMap(({ readers }) => [...readers.values()]));
    return pollList(meter, this.#parts, {
      onAnswer: (states, startedAt) => this.#publishList(states, startedAt),
      onFailure: (error) => this.#failList(error),
    });
  }

  #stopList(): void {
    this.#list?.stop();
    this.#list = null;
    this.#ended.clear();
  }

  /** The actions that the list shows: those without a long poll. */
  get #listed(): WatchedAction[] {
    return [...this.#actions.values()].filter(({ poll }) => poll === null);
  }

  /**
   * Publishes the listed states, and has each action read that the list no longer contains.
   * @param startedAt When the read of the list began. Where a later state is known, it stays.
   */
  #publishList(states: ReadonlyMap<string, JsonObject>, startedAt: number): void {
    if (this.#pending.size > 0)
      for (const [id, state] of states)
        if (!this.#ended.has(id) && state['finished'] !== true) this.#add(id).showTo(this.#pending);
    this.#ended.clear();
    for (const action of this.#listed) {
      const state = states.get(action.id);
      if (state === undefined) {
        if (performance.now() >= action.nextCheck) this.#readOmitted(action);
      } else if (action.read === null && action.readAt <= startedAt) this.#publish(action, state);
    }
    // Another caller may have freed a long poll.
    this.#assign();
  }

  /**
   * Reads an action that the list does not contain: it has ended, it does not exist, or the list omits it. A few such reads run at a
   * time, while reads of the list go on: a thousand actions may end together.
   */
  #readOmitted(action: WatchedAction): void {
    if (action.read !== null) return;
    action.read = new AbortController();
    const { signal } = action.read;
    const read = async (): Promise<void> => {
      if (signal.aborted) return;
      const state = await this.#parts.api.show(action.id, { signal, meter: action.openMeter() });
      // If it runs although the list omits it, it is read again after a pause, and then ever less often.
      action.nextCheck = performance.now() + action.checkDelay;
      action.checkDelay = Math.min(action.checkDelay * 2, MAX_CHECK_DELAY);
      this.#publish(action, state);
    };
    void this.#readLimit(read)
      .catch((error: unknown) => this.#fail(action, error))
      .finally(() => {
        action.read = null;
        this.#assign();
      });
  }

  #publish(action: WatchedAction, state: JsonObject): void {
    if (this.#actions.get(action.id) !== action) return;
    const isFinished = state['finished'] === true;
    if (isFinished) this.#parts.onEnd(action.id, state['status'] === true);
    action.publish(state, this.#pending);
    if (isFinished) this.#end(action);
  }

  /** Ends an action that cannot be read. */
  #fail(action: WatchedAction, error: unknown): void {
    if (this.#actions.get(action.id) !== action) return;
    action.fail(error);
    this.#end(action);
  }

  #end(action: WatchedAction): void {
    this.#drop(action);
    if (this.#list !== null) this.#ended.add(action.id);
    for (const stream of action.readers.keys()) stream.endAction();
  }

  #failList(error: unknown): void {
    this.#stopList();
    for (const stream of this.#pending) stream.fail(error);
    this.#pending.clear();
    for (const action of this.#actions.values()) {
      action.isPending = false;
      if (action.poll === null) this.#fail(action, error);
    }
  }
}
