// Watches the running actions of one credential by long polls and by the list of unfinished states.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { PollerCause } from '../../telemetry/observer.ts';
import type { Abortable } from '../abortable.ts';
import { SubscriptionLimitError } from '../errors/request-errors.ts';
import { isMissing } from '../errors/upstream-errors.ts';
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import type { ActionStateCalls, PollBudget, WatchOptions } from './action-calls.ts';
import { pauseAfterRead } from './call-pace.ts';
import { type ActionStream, LatestValueQueue } from './latest-value-queue.ts';
import { callWithRetries } from './retry.ts';
import type { Turns } from './turns.ts';
import { UnfinishedActions } from './unfinished-actions.ts';
import { hasChanged, WatchedAction } from './watched-action.ts';

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
const MAX_LONG_POLLS = 8;

/** Minimum time between the starts of two polls of one action, in milliseconds. */
const MIN_POLL_INTERVAL = 100;

/** Maximum number of concurrent reads of actions that the list omits, for each caller. */
const MAX_READS = 8;

/** The pollers of one caller. Each watched action has one poller, shared by all its readers. */
export class CallerWatcher {
  readonly #calls: ActionStateCalls;
  readonly #options: WatchOptions;
  readonly #budget: PollBudget;
  readonly #turns: Turns;
  readonly #onIdle: () => void;
  readonly #entries = new Map<string, WatchedAction>();
  /** The actions without a long poll, which are watched through the list, in the order of joining. */
  readonly #listed = new Set<WatchedAction>();
  #openPolls = 0;
  /** The open streams, each with the number of actions that it still follows. */
  readonly #streams = new Map<ActionStream, number>();
  readonly #unfinished = new UnfinishedActions();
  /** Counts a read of the list for each reader whose action is watched through it. */
  readonly #listMeter = sharedMeter(() => [...this.#listed].flatMap(({ meters }) => [...meters]));
  /** Ids of the actions that are read, or wait to be read, because the list omits them. */
  readonly #omittedIds = new Set<string>();
  readonly #reads = pLimit(MAX_READS);
  /** Aborts the list poller; null while it is stopped. */
  #listController: AbortController | null = null;

  constructor(
    calls: ActionStateCalls,
    options: WatchOptions,
    budget: PollBudget,
    turns: Turns,
    onIdle: () => void,
  ) {
    this.#calls = calls;
    this.#options = options;
    this.#budget = budget;
    this.#turns = turns;
    this.#onIdle = onIdle;
  }

  get size(): number {
    return this.#entries.size + this.#unfinished.size;
  }

  close(error: Error): void {
    for (const stream of [...this.#streams.keys()]) stream.fail(error);
  }

  watch(
    ids: readonly string[],
    minInterval: number,
    signal?: Abortable,
    meter: CallMeter | null = null,
    cause: PollerCause = null,
  ): ActionStream {
    const uniqueIds = new Set(ids);
    const { actions: maxActions } = this.#options;
    if (this.#entries.size + uniqueIds.size > maxActions)
      throw new SubscriptionLimitError(
        `You watch ${this.#entries.size} running actions; the maximum for one caller is ${maxActions}.`,
      );
    const stream = this.#openStream(uniqueIds.size, minInterval, signal, (closed) => {
      for (const id of uniqueIds) this.#removeReader(id, closed);
    });
    if (signal?.aborted === true) return stream;
    for (const id of uniqueIds) this.#addReader(id, stream, meter, cause);
    this.#assignPollers();
    if (uniqueIds.size === 0) stream.finish();
    return stream;
  }

  watchUnfinished(signal?: Abortable): ActionStream {
    const stream = this.#openStream(0, 0, signal, (closed) => this.#unfinished.remove(closed));
    if (signal?.aborted === true) return stream;
    this.#unfinished.add(stream);
    this.#assignPollers();
    return stream;
  }

  /** Opens a stream. The signal closes it even where no reader has called `next()`. */
  #openStream(
    actions: number,
    minInterval: number,
    signal: Abortable | undefined,
    onReturn: (stream: ActionStream) => void,
  ): ActionStream {
    const { streams: maxStreams } = this.#options;
    if (this.#streams.size >= maxStreams) {
      throw new SubscriptionLimitError(
        `You have ${maxStreams} streams of actions open, which is the maximum for one caller.`,
      );
    }
    const close = (): void => void stream.return();
    const stream: ActionStream = new LatestValueQueue(minInterval, this.#turns, () => {
      signal?.removeEventListener('abort', close);
      this.#streams.delete(stream);
      onReturn(stream);
      this.#assignPollers();
      if (this.#streams.size === 0) this.#onIdle();
    });
    this.#streams.set(stream, actions);
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close);
    return stream;
  }

  #addReader(id: string, stream: ActionStream, meter: CallMeter | null, cause: PollerCause): void {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = new WatchedAction(id, this.#options.interval, cause);
      this.#entries.set(id, entry);
      this.#listed.add(entry);
    }
    entry.addReader(stream, meter);
  }

  #removeReader(id: string, stream: ActionStream): void {
    const entry = this.#entries.get(id);
    if (entry?.removeReader(stream)) this.#removeEntry(entry);
  }

  #removeEntry(entry: WatchedAction): void {
    this.#entries.delete(entry.id);
    this.#listed.delete(entry);
    entry.abortController.abort();
  }

  /** Gives free long polls to actions that have none, and starts or stops the list poller. */
  #assignPollers(): void {
    for (const entry of this.#listed) {
      if (this.#openPolls >= MAX_LONG_POLLS || this.#budget.remaining <= 0) break;
      if (entry.isRead) continue;
      this.#listed.delete(entry);
      void this.#poll(entry);
    }
    if (this.#listed.size > 0 || this.#unfinished.size > 0) this.#startListPoller();
    else this.#stopListPoller();
  }

  #publish(entry: WatchedAction, state: JsonObject): void {
    if (this.#entries.get(entry.id) !== entry) return;
    if (entry.state !== null && !hasChanged(entry.state, state)) return;
    entry.state = state;
    const isFinished = state['finished'] === true;
    for (const stream of entry.readers) stream.put(entry.id, state, isFinished);
    if (isFinished) this.#end(entry);
  }

  /** Ends an action with an error. The other actions of its streams go on where only this one is missing. */
  #fail(entry: WatchedAction, error: unknown): void {
    if (this.#entries.get(entry.id) !== entry) return;
    for (const stream of entry.readers) {
      if (isMissing(error) && this.#streams.get(stream) !== 1) stream.put(entry.id, error, true);
      else stream.fail(error);
    }
    this.#end(entry);
  }

  /** Removes an action that has ended. Each of its streams ends with its last action. */
  #end(entry: WatchedAction): void {
    this.#removeEntry(entry);
    for (const stream of entry.readers) {
      const remaining = (this.#streams.get(stream) ?? 0) - 1;
      this.#streams.set(stream, remaining);
      if (remaining === 0) stream.finish();
    }
  }

  async #poll(entry: WatchedAction): Promise<void> {
    const { signal } = entry.abortController;
    const { cause, end } = this.#calls.beginPoller({ poller: 'action', cause: entry.cause });
    this.#openPolls += 1;
    this.#budget.remaining -= 1;
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        const before = entry.state;
        const call = () => this.#calls.poll(entry.id, before, { signal, meter: entry.meter, cause });
        const state = await callWithRetries(call, this.#options, signal);
        this.#publish(entry, state);
        // A server that answers at once without a change does not support long polls, so it is polled at intervals.
        const duration = Date.now() - startedAt;
        const ignoresTimeout =
          before !== null && !hasChanged(before, state) && duration < this.#options.interval / 2;
        const delay = ignoresTimeout ? this.#options.interval : MIN_POLL_INTERVAL - duration;
        if (delay > 0 && !signal.aborted) await pause(delay, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(entry, error);
    } finally {
      end();
      this.#openPolls -= 1;
      this.#budget.remaining += 1;
      this.#assignPollers();
    }
  }

  #startListPoller(): void {
    if (this.#listController !== null) return;
    this.#listController = new AbortController();
    void this.#pollList(this.#listController.signal);
  }

  #stopListPoller(): void {
    this.#listController?.abort();
    this.#listController = null;
  }

  async #pollList(signal: AbortSignal): Promise<void> {
    const { cause, end } = this.#calls.beginPoller({ poller: 'list', cause: null });
    const readList = () => this.#calls.listUnfinished({ signal, meter: this.#listMeter, cause });
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        this.#processList(await callWithRetries(readList, this.#options, signal), signal);
        const delay = pauseAfterRead(Date.now() - startedAt, this.#options.interval);
        await pause(delay, undefined, { signal });
        // Another caller may have freed a long poll.
        this.#assignPollers();
      }
    } catch (error) {
      if (!signal.aborted) this.#failList(error);
    } finally {
      end();
    }
  }

  /** Publishes the listed states, and has each action read that the list no longer contains. */
  #processList(states: ReadonlyMap<string, JsonObject>, signal: AbortSignal): void {
    for (const entry of this.#listed) {
      const state = states.get(entry.id);
      if (state !== undefined) this.#publish(entry, state);
      else if (Date.now() >= entry.nextCheck) this.#readSoon(entry.id, signal);
    }
    for (const id of this.#unfinished.publishList(states)) this.#readSoon(id, signal);
  }

  /** Reads an action, a few at a time: a thousand actions may end together. The list is read on meanwhile. */
  #readSoon(id: string, signal: AbortSignal): void {
    if (this.#omittedIds.has(id)) return;
    this.#omittedIds.add(id);
    void this.#reads(() => this.#readOmitted(id, signal)).finally(() => this.#omittedIds.delete(id));
  }

  /** Reads an action that the list does not contain: it has ended, it does not exist, or the list omits it. */
  async #readOmitted(id: string, signal: AbortSignal): Promise<void> {
    const found = this.#entries.get(id);
    const entry = found !== undefined && this.#listed.has(found) ? found : null;
    if (signal.aborted || (entry === null && !this.#unfinished.has(id))) return;
    if (entry !== null) entry.isRead = true;
    try {
      const call = () => this.#calls.show(id, { signal, ...(entry && { meter: entry.meter }) });
      const state = await callWithRetries(call, this.#options, signal);
      if (entry !== null) {
        entry.postponeCheck();
        this.#publish(entry, state);
      }
      if (this.#unfinished.has(id)) this.#unfinished.publish(id, state);
    } catch (error) {
      if (signal.aborted) return;
      this.#unfinished.forget(id);
      if (entry !== null) this.#fail(entry, error);
    } finally {
      if (entry !== null) entry.isRead = false;
      this.#assignPollers();
    }
  }

  #failList(error: unknown): void {
    this.#unfinished.fail(error);
    for (const entry of this.#listed) this.#fail(entry, error);
    this.#stopListPoller();
  }
}
