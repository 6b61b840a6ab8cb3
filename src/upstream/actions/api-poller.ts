// Polls the management API for one caller's running actions: some by long polls, the others through the list of unfinished states.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Observer } from '../../telemetry/observer.ts';
import { sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { type ActionStateApi, hasChanged } from './action-state-api.ts';
import { ListReader, MIN_POLL_INTERVAL } from './list-reader.ts';
import type { PolledAction, Poller, PollerListener } from './poller.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
export const MAX_LONG_POLLS = 8;

/** Maximum number of concurrent reads of actions that the list omits, for each caller. */
const MAX_READS = 8;

/** Longest pause between two reads of a running action that the list omits, in milliseconds. */
const MAX_CHECK_DELAY = 30_000;

/** The long polls that may still be opened, over all callers. */
export interface PollBudget {
  remaining: number;
}

/** An action with what this poller knows of it. */
interface Entry {
  readonly action: PolledAction;
  state: JsonObject | null;
  /** Aborts its long poll; null where it is watched through the list. */
  poll: AbortController | null;
  /** When it is read singly if the list omits it, and the pause after that. */
  nextCheck: number;
  checkDelay: number;
}

/** Polls the management API. */
export class ApiPoller implements Poller {
  readonly #api: ActionStateApi;
  readonly #interval: number;
  readonly #budget: PollBudget;
  readonly #observer: Observer;
  readonly #listener: PollerListener;
  readonly #entries = new Map<string, Entry>();
  /** The actions without a long poll, in the order of joining. */
  readonly #listed = new Set<Entry>();
  /** Null until the list is needed: most actions are watched by long polls. */
  #list: ListReader | null = null;
  #longPolls = 0;
  /** The ids of the unfinished actions; null while the list is not watched for itself. */
  #unfinished: Set<string> | null = null;
  /** Whether long polls wait for the list, since each of them would be answered at once with what has changed. */
  #isCatchingUp = false;
  /** What aborts the reads of single actions, by id. */
  readonly #singleReads = new Map<string, AbortController>();
  readonly #readLimit = pLimit(MAX_READS);
  #isClosed = false;

  /**
   * @param interval Pause between two polls of a server that answers polls without waiting; see also `ListReader`. Milliseconds.
   */
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

  add(actions: readonly PolledAction[]): void {
    // A term that has ended polls nothing more.
    if (this.#isClosed) return;
    const added = actions.filter(({ id }) => !this.#entries.has(id));
    const entries = added.map(
      (action): Entry => ({
        action,
        state: action.state,
        poll: null,
        nextCheck: 0,
        checkDelay: this.#interval,
      }),
    );
    for (const entry of entries) {
      this.#entries.set(entry.action.id, entry);
      this.#listed.add(entry);
    }
    this.#isCatchingUp ||= added.filter(({ state }) => state !== null).length > MAX_LONG_POLLS;
    this.#openPolls();
    for (const entry of entries) if (this.#listed.has(entry)) this.#readSoon(entry);
    this.#assign();
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#drop(entry);
    if (this.#unfinished?.has(id) !== true) this.#singleReads.get(id)?.abort();
    this.#assign();
  }

  watchList(ids: Iterable<string> | null): void {
    this.#unfinished = ids === null ? null : new Set([...(this.#unfinished ?? []), ...ids]);
    this.#assign();
  }

  close(): void {
    this.#isClosed = true;
    for (const { poll } of this.#entries.values()) poll?.abort();
    for (const read of this.#singleReads.values()) read.abort();
    this.#list?.stop();
  }

  #openList(): ListReader {
    // A read of the list counts for each reader whose action is watched through it.
    const meter = sharedMeter(() => [...this.#listed].flatMap(({ action }) => [...action.meters]));
    this.#list ??= new ListReader(this.#api, this.#interval, this.#observer, meter, {
      onList: (states) => this.#publishList(states),
      onFailure: (error) => this.#failList(error),
    });
    return this.#list;
  }

  #drop(entry: Entry): void {
    const { id } = entry.action;
    this.#entries.delete(id);
    this.#listed.delete(entry);
    this.#list?.forget(id);
    entry.poll?.abort();
  }

  /** Gives free long polls to actions that have none, and starts or stops reading the list. */
  #assign(): void {
    if (this.#isClosed) return;
    this.#openPolls();
    if (this.#listed.size > 0 || this.#unfinished !== null) this.#openList().start();
    else this.#list?.stop();
  }

  #openPolls(): void {
    for (const entry of this.#listed) {
      if (this.#isCatchingUp || this.#longPolls >= MAX_LONG_POLLS || this.#budget.remaining <= 0) return;
      if (this.#singleReads.has(entry.action.id)) continue;
      this.#listed.delete(entry);
      void this.#poll(entry);
    }
  }

  /** Gives an action its first state from the recent list, or has the list read soon. */
  #readSoon(entry: Entry): void {
    const list = this.#openList();
    const state = list.recentState(entry.action.id);
    if (state === undefined) list.readSoon();
    else this.#publish(entry, state);
  }

  async #poll(entry: Entry): Promise<void> {
    const { action } = entry;
    const cause = { poller: 'action', cause: action.cause } as const;
    const end = this.#observer.poller?.(cause);
    entry.poll = new AbortController();
    const { signal } = entry.poll;
    this.#longPolls += 1;
    this.#budget.remaining -= 1;
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        const before = entry.state;
        const state = await this.#api.poll(action.id, before, { signal, meter: action.openMeter(), cause });
        if (signal.aborted) return;
        this.#publish(entry, state);
        // A server that answers at once without a change does not support long polls, so it is polled at intervals.
        const duration = Date.now() - startedAt;
        const ignoresTimeout = before !== null && !hasChanged(before, state) && duration < this.#interval / 2;
        const delay = ignoresTimeout ? this.#interval : MIN_POLL_INTERVAL - duration;
        if (delay > 0 && !signal.aborted) await pause(delay, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(entry, error);
    } finally {
      end?.();
      this.#longPolls -= 1;
      this.#budget.remaining += 1;
      this.#assign();
    }
  }

  /** Publishes the listed states, and has each action read that the list no longer contains. */
  #publishList(states: ReadonlyMap<string, JsonObject>): void {
    for (const entry of this.#listed) {
      const { id } = entry.action;
      const state = states.get(id);
      if (state === undefined) {
        if (Date.now() >= entry.nextCheck) this.#readOmitted(id);
      } else if (!this.#singleReads.has(id)) this.#publish(entry, state);
    }
    if (this.#unfinished !== null) {
      for (const [id, state] of states) if (!this.#singleReads.has(id)) this.#publishUnfinished(id, state);
      for (const id of this.#unfinished ?? []) if (!states.has(id)) this.#readOmitted(id);
    }
    this.#isCatchingUp = false;
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
    this.#list?.forget(id);
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
        entry.nextCheck = Date.now() + entry.checkDelay;
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
    entry.state = state;
    if (state['finished'] === true) {
      this.#drop(entry);
      this.#listener.onEnd(id);
    }
    this.#listener.onState('watched', id, state);
  }

  #publishUnfinished(id: string, state: JsonObject): void {
    if (state['finished'] === true) {
      this.#unfinished?.delete(id);
      this.#listener.onEnd(id);
    } else this.#unfinished?.add(id);
    this.#listener.onState('listed', id, state);
  }

  #fail(entry: Entry, error: unknown): void {
    if (this.#entries.get(entry.action.id) !== entry) return;
    this.#drop(entry);
    this.#listener.onFailure(entry.action.id, error);
  }

  #failList(error: unknown): void {
    this.#isCatchingUp = false;
    const isWatched = this.#unfinished !== null;
    this.#unfinished = null;
    for (const entry of this.#listed) this.#fail(entry, error);
    if (isWatched) this.#listener.onFailure(null, error);
  }
}
