// Polls the management API for one caller's running actions: some by long polls, the others through the list of unfinished states.
import pLimit from 'p-limit';
import type { Observer } from '../../observer.ts';
import { sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { type ActionStateApi, hasChanged, haveChanged } from './action-state-api.ts';
import { pauseAfterList, pauseAfterPoll, RepeatedPoll } from './repeated-poll.ts';
import type { WatchedAction } from './watched-action.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
export const MAX_LONG_POLLS = 8;
/** Maximum number of concurrent reads of actions that the list omits, for each caller. */
const MAX_READS = 8;
/** Longest pause between two reads of a running action that the list omits, in milliseconds. */
const MAX_CHECK_DELAY = 30_000;

/** The two ways to watch an action: by its id, or because it is in the list of the caller's unfinished actions. */
export type WatchKind = 'watched' | 'listed';

/** Receives what a poller reads. */
export interface PollerListener {
  /** A state has been read, whether it has changed or not. A finished one is the last of its action. */
  onState(kind: WatchKind, id: string, state: JsonObject): void;
  /** An action, or the list (`id` is null), cannot be read, and is polled no longer. */
  onFailure(id: string | null, error: unknown): void;
}

/** The long polls that may still be opened, over all callers. */
export interface PollBudget {
  remaining: number;
}

/** An action with what this poller knows of it. */
interface Entry {
  readonly action: WatchedAction;
  /** Its long poll; null where it is watched through the list. */
  poll: RepeatedPoll | null;
  /** When it is read singly if the list omits it, and the pause after that. */
  nextCheck: number;
  checkDelay: number;
}

/** The last list, and until when no other one may be read (`performance.now()`). */
interface ReadList {
  readonly states: Map<string, JsonObject>;
  freshUntil: number;
}

/** Polls each action until it ends, cannot be read, or is removed. */
export class ActionPoller {
  readonly #api: ActionStateApi;
  readonly #interval: number;
  readonly #budget: PollBudget;
  readonly #observer: Observer;
  readonly #listener: PollerListener;
  readonly #entries = new Map<string, Entry>();
  /** The actions without a long poll, in the order of joining. */
  readonly #listed = new Set<Entry>();
  /** Null while the list is not needed: most actions are watched by long polls. */
  #listPoll: RepeatedPoll | null = null;
  #lastList: ReadList | null = null;
  #longPolls = 0;
  /** The ids of the unfinished actions; null while the list is not watched for itself. */
  #unfinished: Set<string> | null = null;
  /** What aborts the reads of single actions, by id. */
  readonly #singleReads = new Map<string, AbortController>();
  readonly #readLimit = pLimit(MAX_READS);
  #isClosed = false;

  /** @param interval Pause between two polls of a server that answers polls at once; the list is read twice in it. Milliseconds. */
  constructor(
    api: ActionStateApi,
    interval: number,
    budget: PollBudget,
    observer: Observer,
    listener: PollerListener,
  ) {
    this.#api = api;
    this.#interval = interval;
    this.#budget = budget;
    this.#observer = observer;
    this.#listener = listener;
  }

  /** Polls, from now on, those of the actions that it does not poll yet. The listener may be called before this returns. */
  add(actions: readonly WatchedAction[]): void {
    const list = this.#listPoll;
    const added: Entry[] = [];
    for (const action of actions) {
      if (this.#entries.has(action.id)) continue;
      const entry: Entry = { action, poll: null, nextCheck: 0, checkDelay: this.#interval };
      this.#entries.set(action.id, entry);
      this.#listed.add(entry);
      added.push(entry);
    }
    this.#assign();
    for (const entry of added) if (this.#listed.has(entry) && !this.#giveFirstState(entry)) list?.hurry();
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#drop(entry);
    if (this.#unfinished?.has(id) !== true) this.#singleReads.get(id)?.abort();
    this.#assign();
  }

  /** Whether the list of unfinished actions is read for itself from now on. */
  watchList(isWatched: boolean): void {
    this.#unfinished = isWatched ? new Set() : null;
    this.#assign();
  }

  /** Polls soon, and more often for a while: the caller has written, so changes are likely. */
  hurry(): void {
    this.#listPoll?.hurry();
    for (const { poll } of this.#entries.values()) poll?.hurry();
  }

  /** Ends all polling. The listener is not called from now on. */
  close(): void {
    this.#isClosed = true;
    for (const { poll } of this.#entries.values()) poll?.stop();
    for (const read of this.#singleReads.values()) read.abort();
    this.#stopList();
  }

  /** Gives free long polls to actions that have none, and starts or stops reading the list. */
  #assign(): void {
    if (this.#isClosed) return;
    for (const entry of this.#listed) {
      if (this.#longPolls >= MAX_LONG_POLLS || this.#budget.remaining <= 0) break;
      if (this.#singleReads.has(entry.action.id)) continue;
      this.#listed.delete(entry);
      this.#openPoll(entry);
    }
    if (this.#listed.size === 0 && this.#unfinished === null) this.#stopList();
    else this.#listPoll ??= this.#openList();
  }

  #openPoll(entry: Entry): void {
    const { action } = entry;
    const interval = this.#interval;
    const cause = { poller: 'action', cause: action.cause } as const;
    const end = this.#observer.poller?.(cause);
    let answersAtOnce = false;
    this.#longPolls += 1;
    this.#budget.remaining -= 1;
    entry.poll = new RepeatedPoll({
      poll: async (signal) => {
        const before = action.state;
        const startedAt = performance.now();
        const state = await this.#api.poll(action.id, before, { signal, meter: action.openMeter(), cause });
        if (signal.aborted) return false;
        const isNew = before === null || hasChanged(before, state);
        // A server that answers at once without a change does not support long polls, so it is polled at intervals.
        answersAtOnce = !isNew && performance.now() - startedAt < interval / 2;
        this.#publish(entry, state);
        return isNew;
      },
      pauseAfter: (answered) => pauseAfterPoll(answered, interval, answersAtOnce),
      onFailure: (error) => this.#fail(entry, error),
      onEnd: () => {
        end?.();
        this.#longPolls -= 1;
        this.#budget.remaining += 1;
        this.#assign();
      },
    });
  }

  #openList(): RepeatedPoll {
    // A read of the list counts for each reader whose action is watched through it.
    const meter = sharedMeter(() => [...this.#listed].flatMap(({ action }) => [...action.meters]));
    const cause = { poller: 'list', cause: null } as const;
    const end = this.#observer.poller?.(cause);
    return new RepeatedPoll({
      poll: async (signal) => {
        const states = await this.#api.listUnfinished({ signal, meter, cause });
        if (signal.aborted) return false;
        const isNew = this.#lastList === null || haveChanged(this.#lastList.states, states);
        this.#lastList = { states, freshUntil: Number.POSITIVE_INFINITY };
        this.#publishList(states);
        return isNew;
      },
      pauseAfter: (answered) => {
        const pauses = pauseAfterList(answered, this.#interval);
        if (this.#lastList !== null) this.#lastList.freshUntil = performance.now() + pauses[0];
        return pauses;
      },
      onFailure: (error) => this.#failList(error),
      onEnd: () => end?.(),
    });
  }

  #stopList(): void {
    this.#listPoll?.stop();
    this.#listPoll = null;
    this.#lastList = null;
  }

  #drop(entry: Entry): void {
    const { id } = entry.action;
    this.#entries.delete(id);
    this.#listed.delete(entry);
    this.#lastList?.states.delete(id);
    entry.poll?.stop();
  }

  /** Gives an action its state in a list that has just been read. Returns whether there is one. */
  #giveFirstState(entry: Entry): boolean {
    const { states, freshUntil = 0 } = this.#lastList ?? {};
    const state = performance.now() < freshUntil ? states?.get(entry.action.id) : undefined;
    if (state !== undefined) this.#publish(entry, state);
    return state !== undefined;
  }

  /** Publishes the listed states, and has each action read that the list no longer contains. */
  #publishList(states: ReadonlyMap<string, JsonObject>): void {
    for (const entry of this.#listed) {
      const { id } = entry.action;
      const state = states.get(id);
      if (state === undefined) {
        if (performance.now() >= entry.nextCheck) this.#readOmitted(id);
      } else if (!this.#singleReads.has(id)) this.#publish(entry, state);
    }
    if (this.#unfinished !== null) {
      for (const [id, state] of states) if (!this.#singleReads.has(id)) this.#publishUnfinished(id, state);
      for (const id of this.#unfinished ?? []) if (!states.has(id)) this.#readOmitted(id);
    }
    // Another caller may have freed a long poll.
    this.#assign();
  }

  /**
   * Reads an action that the list does not contain: it has ended, it does not exist, or the list omits it. A few such reads run at a
   * time, while reads of the list go on: a thousand actions may end together.
   */
  #readOmitted(id: string): void {
    if (this.#singleReads.has(id)) return;
    const controller = new AbortController();
    this.#singleReads.set(id, controller);
    void this.#readLimit(() => this.#readSingly(id, controller.signal)).finally(() => {
      this.#singleReads.delete(id);
      this.#assign();
    });
  }

  async #readSingly(id: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    if (signal.aborted || (entry === undefined && this.#unfinished?.has(id) !== true)) return;
    const meter = entry?.action.openMeter();
    try {
      const state = await this.#api.show(id, { signal, ...(meter && { meter }) });
      if (signal.aborted) return;
      if (entry !== undefined) {
        // It runs although the list omits it, so that it is read again after a pause, and then ever less often.
        entry.nextCheck = performance.now() + entry.checkDelay;
        entry.checkDelay = Math.min(entry.checkDelay * 2, MAX_CHECK_DELAY);
        this.#publish(entry, state);
      }
      if (this.#unfinished?.has(id) === true) this.#publishUnfinished(id, state);
    } catch (error) {
      if (signal.aborted) return;
      this.#unfinished?.delete(id);
      if (entry !== undefined) this.#drop(entry);
      this.#listener.onFailure(id, error);
    }
  }

  #publish(entry: Entry, state: JsonObject): void {
    const { id } = entry.action;
    if (this.#entries.get(id) !== entry) return;
    if (state['finished'] === true) this.#drop(entry);
    this.#listener.onState('watched', id, state);
  }

  #publishUnfinished(id: string, state: JsonObject): void {
    if (state['finished'] === true) this.#unfinished?.delete(id);
    else this.#unfinished?.add(id);
    this.#listener.onState('listed', id, state);
  }

  #fail(entry: Entry, error: unknown): void {
    if (this.#entries.get(entry.action.id) !== entry) return;
    this.#drop(entry);
    this.#listener.onFailure(entry.action.id, error);
  }

  #failList(error: unknown): void {
    this.#stopList();
    const isWatched = this.#unfinished !== null;
    this.#unfinished = null;
    for (const entry of this.#listed) this.#fail(entry, error);
    if (isWatched) this.#listener.onFailure(null, error);
  }
}
