// Polls one caller's running actions for all streams that read them: some by long polls, the others through the list of unfinished states.
import pLimit from 'p-limit';
import type { Observer } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import { SubscriptionLimitError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { type ActionStateApi, RepeatedRead } from './action-state-api.ts';
import { ActionStream, meterFor, type StreamOptions, WatchedAction } from './action-stream.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
const MAX_LONG_POLLS = 8;
/** The same for reads of actions that the list omits. */
const MAX_READS = 8;
/** Intervals between two reads of a running action that the list omits. */
const CHECK_INTERVALS = 10;

/** What a poller works with. */
interface PollerParts {
  readonly api: ActionStateApi;
  /** See `WatchOptions`. */
  readonly limits: { readonly interval: number; readonly streams: number; readonly actions: number };
  readonly observer: Observer;
  /** The long polls that may still be opened, over all callers. */
  readonly budget: { remaining: number };
  /** Called when an action is seen to have ended, before its readers learn it. */
  readonly onEnd: (id: string, hasSucceeded: boolean) => void;
  /** Called when the last stream has ended. */
  readonly onIdle: () => void;
}

/**
 * The running actions of one caller. An action is polled while a stream reads it. A long poll reads an action of a stream of its own, or the
 * list of unfinished actions does, which is read only while that is needed.
 */
export class CallerPoller {
  readonly #parts: PollerParts;
  readonly #actions = new Map<string, WatchedAction>();
  readonly #streams = new Set<ActionStream>();
  #list: RepeatedRead | null = null;
  /** Actions that have ended since the last list, so that the one that is being read may show them as unfinished. */
  readonly #ended = new Set<string>();
  #longPolls = 0;
  readonly #limitReads = pLimit(MAX_READS);
  #isStopped = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /** Number of actions and of streams of unfinished actions that are watched. */
  get size(): number {
    return this.#watched + this.#pending.length;
  }

  /** Polls soon, and more often for a while: the caller has written, so changes are likely. */
  hurry(): void {
    this.#list?.hurry();
    for (const { poll } of this.#actions.values()) poll?.hurry();
  }

  /** Ends all streams with an error. */
  close(error: Error): void {
    for (const stream of this.#streams) stream.finish({ error });
    this.#stop();
  }

  /**
   * Opens a stream.
   * @param signal Closes it, even where no reader has called `next()`.
   * @throws SubscriptionLimitError
   */
  open(options: StreamOptions, signal?: Abortable): ActionStream {
    this.#checkLimits(options.ids?.size ?? 0);
    const close = (): void => void stream.return();
    const stream: ActionStream = new ActionStream(options, () => {
      signal?.removeEventListener('abort', close);
      this.#close(stream);
    });
    this.#streams.add(stream);
    if (signal?.aborted) close();
    if (!stream.isOpen) return stream;
    signal?.addEventListener('abort', close);
    const actions = [...(stream.ids ?? [])].map((id) => this.#add(id));
    for (const action of actions) action.addReader(stream);
    if (stream.ids?.size === 0) stream.finish();
    const list = this.#list;
    this.#assign();
    if (stream.ids === null || actions.some(({ poll, state }) => poll === null && state === null))
      list?.hurry();
    return stream;
  }

  #checkLimits(added: number): void {
    const { streams, actions } = this.#parts.limits;
    const watched = this.#watched;
    if (watched + added > actions)
      throw new SubscriptionLimitError(
        `You watch ${watched} running actions; the maximum for one caller is ${actions}.`,
      );
    if (this.#streams.size >= streams)
      throw new SubscriptionLimitError(
        `You have ${streams} streams of actions open, which is the maximum for one caller.`,
      );
  }

  /** Number of actions that streams of their own read. */
  get #watched(): number {
    return [...this.#actions.values()].filter(({ ownReaders }) => ownReaders.size > 0).length;
  }

  /** The open streams of all unfinished actions. */
  get #pending(): ActionStream[] {
    return [...this.#streams].filter(({ ids, isOpen }) => ids === null && isOpen);
  }

  #close(stream: ActionStream): void {
    this.#streams.delete(stream);
    for (const action of this.#actions.values()) {
      if (!action.removeReader(stream)) continue;
      if (action.readers.size === 0) this.#drop(action);
      else if (action.ownReaders.size === 0) {
        action.poll?.stop();
        action.poll = null;
      }
    }
    if (this.#streams.size === 0) this.#stop();
    else this.#assign();
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const action of this.#actions.values()) this.#drop(action);
    this.#stopList();
    this.#parts.onIdle();
  }

  #add(id: string): WatchedAction {
    const action = this.#actions.get(id) ?? new WatchedAction(id);
    this.#actions.set(id, action);
    return action;
  }

  /** Polls and reads an action no longer. */
  #drop(action: WatchedAction): void {
    this.#actions.delete(action.id);
    action.stop();
  }

  /** Gives free long polls to actions that have readers of their own, and starts or stops reading the list. */
  #assign(): void {
    if (this.#isStopped) return;
    const { budget } = this.#parts;
    let needsList = this.#pending.length > 0;
    for (const action of this.#actions.values()) {
      if (action.poll !== null || action.ownReaders.size === 0) continue;
      const isFree = this.#longPolls < MAX_LONG_POLLS && budget.remaining > 0;
      if (isFree && action.read === null) this.#openPoll(action);
      else needsList = true;
      if (!isFree) break;
    }
    if (needsList) this.#list ??= this.#openList();
    else this.#stopList();
  }

  #openPoll(action: WatchedAction): void {
    const { budget, api, observer, limits } = this.#parts;
    const cause = { poller: 'action', cause: [...action.ownReaders][0]?.cause ?? null } as const;
    const end = observer.poller?.(cause);
    const meter = meterFor(() => [action]);
    const poll = new RepeatedRead(0.1);
    this.#longPolls += 1;
    budget.remaining -= 1;
    action.poll = poll;
    void poll
      .run(
        async (signal) =>
          this.#publish(action, await api.poll(action.id, action.state, { signal, meter, cause })),
        // A server that answers at once without a change does not support long polls, so it is polled at intervals.
        (duration, hasChanged) => (!hasChanged && duration < limits.interval / 2 ? limits.interval : 0),
      )
      .catch((error: unknown) => this.#fail(action, error))
      .finally(() => {
        end?.();
        this.#longPolls -= 1;
        budget.remaining += 1;
        this.#assign();
      });
  }

  /** Reads the list twice in an interval while it changes. */
  #openList(): RepeatedRead {
    const { api, observer, limits } = this.#parts;
    const cause = { poller: 'list', cause: null } as const;
    const end = observer.poller?.(cause);
    // A read of the list counts for each reader whose action is watched through it.
    const meter = meterFor(() => this.#listed);
    const list = new RepeatedRead(0.5);
    void list
      .run(
        async (signal) => {
          const startedAt = performance.now();
          const states = await api.listUnfinished({ signal, meter, cause });
          return !signal.aborted && this.#publishList(states, startedAt);
        },
        () => limits.interval / 2,
      )
      .catch((error: unknown) => this.#failList(error))
      .finally(() => end?.());
    return list;
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
   * Publishes the listed states, and has each action read that the list no longer contains. Returns whether a state has changed.
   * @param startedAt When the read of the list began. Where a later state is known, it stays.
   */
  #publishList(states: ReadonlyMap<string, JsonObject>, startedAt: number): boolean {
    const pending = this.#pending;
    if (pending.length > 0)
      for (const [id, state] of states) {
        if (this.#ended.has(id) || state['finished'] === true) continue;
        const action = this.#add(id);
        for (const stream of pending) action.addReader(stream);
      }
    this.#ended.clear();
    let hasChanged = false;
    for (const action of this.#listed) {
      const state = states.get(action.id);
      if (action.read !== null || action.readAt > startedAt) continue;
      if (state !== undefined) {
        action.nextCheck = 0;
        hasChanged = this.#publish(action, state) || hasChanged;
      } else if (performance.now() >= action.nextCheck) this.#readOmitted(action);
    }
    // Another caller may have freed a long poll.
    this.#assign();
    return hasChanged;
  }

  /**
   * Reads an action that the list does not contain: it has ended, it does not exist, or the list omits it. A few such reads run at a
   * time, while reads of the list go on: a thousand actions may end together.
   */
  #readOmitted(action: WatchedAction): void {
    const { api, limits } = this.#parts;
    action.read = new AbortController();
    const { signal } = action.read;
    void this.#limitReads(async () => {
      if (signal.aborted) return;
      const state = await api.show(action.id, { signal, meter: meterFor(() => [action]) });
      action.nextCheck = performance.now() + CHECK_INTERVALS * limits.interval;
      this.#publish(action, state);
    })
      .catch((error: unknown) => this.#fail(action, error))
      .finally(() => {
        action.read = null;
        this.#assign();
      });
  }

  /** Returns whether the state has changed. */
  #publish(action: WatchedAction, state: JsonObject): boolean {
    if (this.#actions.get(action.id) !== action) return false;
    const isFinished = state['finished'] === true;
    if (isFinished) this.#parts.onEnd(action.id, state['status'] === true);
    const isNew = action.publish(state);
    if (isFinished) this.#end(action);
    return isNew;
  }

  /** Ends an action that cannot be read. */
  #fail(action: WatchedAction, error: unknown): void {
    if (this.#actions.get(action.id) !== action) return;
    for (const stream of action.readers) stream.failAction(action.id, error);
    this.#end(action);
  }

  #end(action: WatchedAction): void {
    this.#drop(action);
    if (this.#list !== null) this.#ended.add(action.id);
    for (const stream of action.readers) stream.endAction(action.id);
  }

  #failList(error: unknown): void {
    this.#stopList();
    for (const stream of this.#pending) stream.finish({ error });
    for (const action of this.#listed) this.#fail(action, error);
  }
}
