// Polls the running actions of one caller: some by long polls, the others through the list of unfinished states.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStateCalls, PollBudget, WatchOptions } from './action-calls.ts';
import { pauseAfterRead } from './call-pace.ts';
import { RecentList } from './recent-list.ts';
import { callWithRetries } from './retry.ts';
import type { UnfinishedActions } from './unfinished-actions.ts';
import { hasChanged, type WatchedAction } from './watched-action.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
export const MAX_LONG_POLLS = 8;

/** Minimum time between the starts of two polls of one action, or of the list, in milliseconds. */
export const MIN_POLL_INTERVAL = 100;

/** Maximum number of concurrent reads of actions that the list omits, for each caller. */
const MAX_READS = 8;

/** The actions that are polled, and what becomes of their states. */
export interface PolledActions {
  readonly unfinished: UnfinishedActions;
  /** The watched action with an id; undefined when it is no longer watched. */
  find(id: string): WatchedAction | undefined;
  publish(action: WatchedAction, state: JsonObject, token: number): void;
  publishUnfinished(id: string, state: JsonObject, token: number): void;
  /** Ends an action with an error. */
  fail(action: WatchedAction, error: unknown): void;
  /** Ends the streams of all unfinished actions with an error. */
  failUnfinished(error: unknown): void;
  /** The fencing token of a read that begins now; null while the lease that allows it has ended. */
  readonly token: number | null;
}

/** A long poll, which is repeated until it is aborted. */
interface OpenPoll {
  readonly controller: AbortController;
  /** The fencing token of the read that is under way, if it is answered at once. */
  token: number;
}

/** The pollers of one caller. Each action has one poller, shared by all its readers. */
export class ActionPollers {
  readonly #calls: ActionStateCalls;
  readonly #options: WatchOptions;
  readonly #budget: PollBudget;
  readonly #target: PolledActions;
  #isPolling = false;
  /** Whether the first read of the list is awaited, which shows what has changed while another replica polled. */
  #isCatchingUp = false;
  /** The actions with a long poll, and what aborts it. */
  readonly #polled = new Map<WatchedAction, OpenPoll>();
  /** Actions whose next poll has to be answered at once. */
  readonly #readAtOnce = new WeakSet<WatchedAction>();
  /** The actions without a long poll, which are watched through the list, in the order of joining. */
  readonly #listed = new Set<WatchedAction>();
  /** Counts a read of the list for each reader whose action is watched through it. */
  readonly #listMeter = sharedMeter(() => [...this.#listed].flatMap(({ meters }) => [...meters]));
  /** Actions that have been added since the last `assign`. */
  #added: WatchedAction[] = [];
  readonly #recent = new RecentList();
  /** Whether an action waits for its first state from the list. */
  #isListAwaited = false;
  /** Ends the pause before the next read of the list, if that is allowed by now. */
  #endListPause = (): void => undefined;
  /** Aborts the list poller; null while it is stopped. */
  #listController: AbortController | null = null;
  /** Ids of the actions that are read singly, or wait for that. */
  readonly #readIds = new Set<string>();
  readonly #readLimit = pLimit(MAX_READS);
  /** Aborts the reads of single actions. */
  #readController = new AbortController();

  constructor(calls: ActionStateCalls, options: WatchOptions, budget: PollBudget, target: PolledActions) {
    this.#calls = calls;
    this.#options = options;
    this.#budget = budget;
    this.#target = target;
  }

  /** Starts polling. The list is read before long polls begin, each of which would be answered at once with what has changed. */
  start(): void {
    this.#isPolling = true;
    this.#isCatchingUp = this.#listed.size > MAX_LONG_POLLS;
    this.assign();
  }

  /** Stops polling. The actions stay known until they are removed. */
  stop(): void {
    this.#isPolling = false;
    for (const { controller } of this.#polled.values()) controller.abort();
    this.#stopList();
    this.#stopReads();
  }

  /** Adds an action, which `assign` then polls. */
  add(action: WatchedAction): void {
    this.#listed.add(action);
    this.#added.push(action);
  }

  remove(action: WatchedAction): void {
    this.#listed.delete(action);
    this.#recent.forget(action.id);
    this.#polled.get(action)?.controller.abort();
  }

  /** Has an action read at once, unless such a read with this fencing token or a later one is under way. */
  readAfter(action: WatchedAction, token: number): void {
    const poll = this.#polled.get(action);
    // A read that began when this replica was alone may be earlier than any token.
    if (poll === undefined || (Number.isFinite(poll.token) && poll.token >= token)) return;
    this.#readAtOnce.add(action);
    poll.controller.abort();
  }

  /** Gives free long polls to actions that have none, and starts or stops the list poller. */
  assign(): void {
    if (!this.#isPolling) return;
    for (const action of this.#listed) {
      if (this.#isCatchingUp || this.#polled.size >= MAX_LONG_POLLS || this.#budget.remaining <= 0) break;
      if (action.isBeingRead) continue;
      this.#listed.delete(action);
      void this.#poll(action);
    }
    this.#startAdded();
    if (this.#listed.size > 0 || this.#target.unfinished.isWatched) this.#startList();
    else {
      this.#stopList();
      this.#stopReads();
    }
  }

  /** Gives actions without a long poll their first state from the recent list, or has the list read soon. */
  #startAdded(): void {
    for (const action of this.#added.splice(0)) {
      if (!this.#listed.has(action)) continue;
      const { token } = this.#target;
      const state = this.#recent.find(action.id, token);
      if (state !== undefined && token !== null) {
        this.#target.publish(action, state, token);
        continue;
      }
      this.#isListAwaited = true;
      this.#endListPause();
    }
  }

  /** Reads a single action once, while reads of the list go on. A few such reads run at a time: a thousand actions may end together. */
  read(id: string): void {
    if (this.#readIds.has(id)) return;
    this.#readIds.add(id);
    const { signal } = this.#readController;
    void this.#readLimit(() => this.#read(id, signal)).finally(() => this.#readIds.delete(id));
  }

  async #poll(action: WatchedAction): Promise<void> {
    const { cause, end } = this.#calls.beginPoller({ poller: 'action', cause: action.cause });
    const controller = new AbortController();
    const { signal } = controller;
    const poll: OpenPoll = { controller, token: Number.NEGATIVE_INFINITY };
    const meter = action.openMeter();
    this.#polled.set(action, poll);
    this.#budget.remaining -= 1;
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        // Without the last known state, the server answers at once.
        const before = this.#readAtOnce.delete(action) ? null : action.state;
        const call = () => this.#calls.poll(action.id, before, { signal, meter, cause });
        const { token } = this.#target;
        poll.token = before === null && token !== null ? token : Number.NEGATIVE_INFINITY;
        const state = await callWithRetries(call, this.#options, signal);
        // While the lease may be another replica's, what was read may be outdated.
        const isAllowed = token !== null && this.#target.token !== null;
        if (isAllowed) this.#target.publish(action, state, token);
        // A server that answers at once without a change does not support long polls, so it is polled at intervals.
        const duration = Date.now() - startedAt;
        const ignoresTimeout =
          before !== null && !hasChanged(before, state) && duration < this.#options.interval / 2;
        const delay = ignoresTimeout || !isAllowed ? this.#options.interval : MIN_POLL_INTERVAL - duration;
        if (delay > 0 && !signal.aborted) await pause(delay, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#target.fail(action, error);
    } finally {
      end();
      this.#polled.delete(action);
      this.#budget.remaining += 1;
      if (this.#target.find(action.id) === action) this.#listed.add(action);
      this.assign();
    }
  }

  #startList(): void {
    if (this.#listController !== null) return;
    this.#listController = new AbortController();
    void this.#pollList(this.#listController.signal);
  }

  #stopList(): void {
    this.#listController?.abort();
    this.#listController = null;
    this.#recent.clear();
  }

  #stopReads(): void {
    this.#readController.abort();
    this.#readController = new AbortController();
  }

  async #pollList(signal: AbortSignal): Promise<void> {
    const { cause, end } = this.#calls.beginPoller({ poller: 'list', cause: null });
    const readList = () => this.#calls.listUnfinished({ signal, meter: this.#listMeter, cause });
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        this.#isListAwaited = false;
        const { token } = this.#target;
        const states = await callWithRetries(readList, this.#options, signal);
        if (token !== null && this.#target.token !== null) this.#publishList(states, token);
        this.#isCatchingUp = false;
        // Another caller may have freed a long poll.
        this.assign();
        await this.#pauseList(Date.now() - startedAt, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#failList(error);
    } finally {
      end();
    }
  }

  /** Two reads of the list begin in an interval, and more while actions wait for their first state. */
  async #pauseList(duration: number, signal: AbortSignal): Promise<void> {
    const { interval } = this.#options;
    const longest = pauseAfterRead(duration, interval / 2, interval);
    const shortest = Math.min(longest, pauseAfterRead(duration, MIN_POLL_INTERVAL, interval));
    await pause(shortest, undefined, { signal });
    this.#recent.clear();
    const rest = longest - shortest;
    if (this.#isListAwaited || rest <= 0) return;
    const ended = new Promise<void>((resolve) => {
      this.#endListPause = resolve;
    });
    await Promise.race([pause(rest, undefined, { signal }), ended]);
  }

  /** Publishes the listed states, and has each action read that the list no longer contains. */
  #publishList(states: Map<string, JsonObject>, token: number): void {
    this.#recent.keep(states, token);
    for (const action of this.#listed) {
      const state = states.get(action.id);
      if (state !== undefined) this.#target.publish(action, state, token);
      else if (Date.now() >= action.nextCheck) this.read(action.id);
    }
    const { unfinished } = this.#target;
    if (!unfinished.isWatched) return;
    unfinished.token = token;
    for (const [id, state] of states) this.#target.publishUnfinished(id, state, token);
    for (const id of unfinished.omittedFrom(states)) this.read(id);
  }

  /** Reads an action that the list does not contain: it has ended, it does not exist, or the list omits it. */
  async #read(id: string, signal: AbortSignal): Promise<void> {
    const { unfinished } = this.#target;
    const found = this.#target.find(id);
    const action = found !== undefined && this.#listed.has(found) ? found : null;
    if (signal.aborted || (action === null && !unfinished.has(id))) return;
    if (action !== null) action.isBeingRead = true;
    this.#recent.forget(id);
    try {
      const { token } = this.#target;
      const meter = action?.openMeter();
      const call = () => this.#calls.show(id, { signal, ...(meter && { meter }) });
      const state = await callWithRetries(call, this.#options, signal);
      if (token === null || this.#target.token === null) return;
      if (action !== null) {
        action.postponeCheck();
        this.#target.publish(action, state, token);
      }
      if (unfinished.has(id)) this.#target.publishUnfinished(id, state, token);
    } catch (error) {
      if (signal.aborted) return;
      unfinished.forget(id);
      if (action !== null) this.#target.fail(action, error);
    } finally {
      if (action !== null) action.isBeingRead = false;
      this.assign();
    }
  }

  #failList(error: unknown): void {
    this.#target.failUnfinished(error);
    for (const action of this.#listed) this.#target.fail(action, error);
    this.#stopList();
  }
}
