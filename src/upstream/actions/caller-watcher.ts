// Watches the running actions of one credential by long polls and by the list of unfinished states.
import { setTimeout as pause } from 'node:timers/promises';
import { SubscriptionLimitError } from '../errors/request-errors.ts';
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import type { ActionStateCalls, WatchOptions } from './action-calls.ts';
import { LatestValueQueue } from './latest-value-queue.ts';
import { callWithRetries, isTransient } from './retry.ts';
import { hasChanged, WatchedAction } from './watched-action.ts';

/** The long polls that may still be opened, over all callers. */
export interface PollBudget {
  remaining: number;
}

/** Maximum number of concurrent long polls for each caller. Each occupies a worker of the server. */
const MAX_LONG_POLLS = 8;

/** Minimum time between the starts of two polls of one action, in milliseconds. */
const MIN_POLL_INTERVAL = 100;

/** Longest pause between two reads of a running action that the list omits, in milliseconds. */
const MAX_ABSENCE_DELAY = 30_000;

/** The pollers of one credential. Each watched action has one poller, shared by all its readers. */
export class CallerWatcher {
  readonly #calls: ActionStateCalls;
  readonly #options: WatchOptions;
  readonly #budget: PollBudget;
  readonly #onIdle: () => void;
  readonly #entries = new Map<string, WatchedAction>();
  readonly #streams = new Set<LatestValueQueue<JsonObject>>();
  /** The streams of all unfinished actions; a subset of `#streams`. */
  readonly #unfinishedStreams = new Set<LatestValueQueue<JsonObject>>();
  /** Counts a read of the list for each reader whose action is watched through it. */
  readonly #listMeter = sharedMeter(() => this.#listedEntries.flatMap(({ meters }) => meters));
  /** Last known states by id, for `#unfinishedStreams`. */
  #unfinishedStates = new Map<string, JsonObject>();
  /** Aborts the list poller; null while it is stopped. */
  #listController: AbortController | null = null;

  constructor(calls: ActionStateCalls, options: WatchOptions, budget: PollBudget, onIdle: () => void) {
    this.#calls = calls;
    this.#options = options;
    this.#budget = budget;
    this.#onIdle = onIdle;
  }

  get size(): number {
    return this.#entries.size + this.#unfinishedStreams.size;
  }

  close(error: Error): void {
    for (const stream of [...this.#streams]) stream.fail(error);
  }

  watch(
    ids: readonly string[],
    minInterval: number,
    signal?: AbortSignal,
    meter: CallMeter | null = null,
  ): AsyncIterableIterator<JsonObject> {
    const uniqueIds = [...new Set(ids)];
    const stream = this.#openStream(minInterval, signal, () => {
      for (const id of uniqueIds) this.#removeReader(id, stream);
    });
    if (signal?.aborted !== true) for (const id of uniqueIds) this.#addReader(id, stream, meter);
    if (uniqueIds.length === 0) stream.finish();
    return stream;
  }

  watchUnfinished(signal?: AbortSignal): AsyncIterableIterator<JsonObject> {
    const stream = this.#openStream(0, signal, () => {
      this.#unfinishedStreams.delete(stream);
      this.#stopIfIdle();
    });
    if (signal?.aborted === true) return stream;
    this.#unfinishedStreams.add(stream);
    for (const [id, state] of this.#unfinishedStates) stream.put(id, state, false);
    this.#startListPoller();
    return stream;
  }

  async wait(id: string, ms: number, meter: CallMeter, signal?: AbortSignal): Promise<JsonObject | null> {
    const states = this.watch([id], 0, signal, meter);
    const timer = setTimeout(() => void states.return?.(), ms);
    let last: JsonObject | null = null;
    try {
      for await (const state of states) last = state;
    } finally {
      clearTimeout(timer);
    }
    return last;
  }

  /** Opens a stream. The signal closes it even where no reader has called `next()`. */
  #openStream(
    minInterval: number,
    signal: AbortSignal | undefined,
    onReturn: () => void,
  ): LatestValueQueue<JsonObject> {
    const { streams: maxStreams } = this.#options;
    if (this.#streams.size >= maxStreams) {
      throw new SubscriptionLimitError(
        `You have ${maxStreams} streams of actions open, which is the maximum for one caller.`,
      );
    }
    const close = (): void => void stream.return();
    const stream: LatestValueQueue<JsonObject> = new LatestValueQueue(minInterval, () => {
      signal?.removeEventListener('abort', close);
      this.#streams.delete(stream);
      onReturn();
    });
    this.#streams.add(stream);
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close);
    return stream;
  }

  #addReader(id: string, stream: LatestValueQueue<JsonObject>, meter: CallMeter | null): void {
    this.#entries.get(id)?.addReader(stream, meter);
    if (this.#entries.has(id)) return;
    const openPolls = this.#entries.size - this.#listedEntries.length;
    const canPoll = openPolls < MAX_LONG_POLLS && this.#budget.remaining > 0;
    const mode = canPoll || this.#calls.actions.index === null ? 'poll' : 'list';
    const entry = new WatchedAction(id, mode, this.#options.interval);
    this.#entries.set(id, entry);
    entry.addReader(stream, meter);
    if (mode === 'poll') this.#startPoller(entry);
    else this.#startListPoller();
  }

  /** The actions that are watched through the list. */
  get #listedEntries(): readonly WatchedAction[] {
    return [...this.#entries.values()].filter(({ mode }) => mode === 'list');
  }

  #removeReader(id: string, stream: LatestValueQueue<JsonObject>): void {
    const entry = this.#entries.get(id);
    if (entry?.removeReader(stream)) this.#removeEntry(entry);
  }

  #removeEntry(entry: WatchedAction): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    entry.abortController.abort();
    if (entry.mode === 'poll') {
      this.#budget.remaining += 1;
      this.#promoteListedEntry();
    }
    this.#stopIfIdle();
  }

  #startPoller(entry: WatchedAction): void {
    this.#budget.remaining -= 1;
    void this.#poll(entry);
  }

  /** Gives a free long poll to an action that is watched through the list. */
  #promoteListedEntry(): void {
    if (this.#budget.remaining <= 0) return;
    const [entry] = this.#listedEntries;
    if (entry === undefined) return;
    entry.mode = 'poll';
    this.#startPoller(entry);
  }

  /** Stops the list poller when nothing needs it, and reports when no stream is left. */
  #stopIfIdle(): void {
    if (this.#unfinishedStreams.size === 0 && this.#listedEntries.length === 0) {
      this.#listController?.abort();
      this.#listController = null;
      this.#unfinishedStates = new Map();
    }
    if (this.size === 0) this.#onIdle();
  }

  #publish(entry: WatchedAction, state: JsonObject): void {
    const isFinished = state['finished'] === true;
    if (entry.state !== null && !hasChanged(entry.state, state)) return;
    entry.state = state;
    for (const stream of entry.readers) stream.put(entry.id, state, isFinished);
    if (!isFinished) return;
    this.#removeEntry(entry);
    for (const stream of entry.readers) {
      if (![...this.#entries.values()].some((other) => other.isReadBy(stream))) stream.finish();
    }
  }

  #fail(entry: WatchedAction, error: unknown): void {
    this.#removeEntry(entry);
    for (const stream of entry.readers) stream.fail(error);
  }

  async #poll(entry: WatchedAction): Promise<void> {
    const { meter } = entry;
    const { signal } = entry.abortController;
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        const before = entry.state;
        const call = () => this.#calls.poll(entry.id, before, { signal, meter });
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
    }
  }

  #startListPoller(): void {
    if (this.#listController !== null) return;
    this.#listController = new AbortController();
    void this.#pollList(this.#listController.signal);
  }

  async #pollList(signal: AbortSignal): Promise<void> {
    const readList = async (): Promise<void> => {
      const rows = await this.#calls.listUnfinished({ signal, meter: this.#listMeter });
      await this.#processList(new Map(rows.map((row) => [String(row['id']), row])), signal);
    };
    try {
      while (!signal.aborted) {
        await callWithRetries(readList, this.#options, signal);
        await pause(this.#options.interval, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#failList(error);
    }
  }

  /** Publishes the listed states and reads each action that the list no longer contains. */
  async #processList(states: ReadonlyMap<string, JsonObject>, signal: AbortSignal): Promise<void> {
    const absentIds = new Set<string>();
    for (const entry of this.#listedEntries) {
      const state = states.get(entry.id);
      if (state !== undefined) this.#publish(entry, state);
      else if (Date.now() >= entry.absence.nextCheck) absentIds.add(entry.id);
    }
    if (this.#unfinishedStreams.size > 0) {
      for (const [id, state] of states) this.#publishUnfinished(id, state);
      for (const id of this.#unfinishedStates.keys()) if (!states.has(id)) absentIds.add(id);
    }
    // Bounded like the long polls: when a thousand actions end together, a few are read at a time.
    const ids = [...absentIds];
    for (let start = 0; start < ids.length; start += MAX_LONG_POLLS) {
      const batch = ids.slice(start, start + MAX_LONG_POLLS);
      await Promise.all(batch.map((id) => this.#readAbsent(id, signal)));
    }
  }

  /** Reads an action that the list does not contain: it has ended, or the list omits it. */
  async #readAbsent(id: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    try {
      const state = await this.#calls.show(id, { signal, ...(entry && { meter: entry.meter }) });
      if (entry !== undefined) {
        const { delay } = entry.absence;
        entry.absence = { nextCheck: Date.now() + delay, delay: Math.min(delay * 2, MAX_ABSENCE_DELAY) };
        this.#publish(entry, state);
      }
      if (this.#unfinishedStates.has(id)) this.#publishUnfinished(id, state);
      if (state['finished'] === true) this.#unfinishedStates.delete(id);
    } catch (error) {
      // A transient failure does not concern the action: the next round reads it again.
      if (signal.aborted || isTransient(error)) throw error;
      this.#unfinishedStates.delete(id);
      if (entry !== undefined) this.#fail(entry, error);
    }
  }

  #publishUnfinished(id: string, state: JsonObject): void {
    const before = this.#unfinishedStates.get(id);
    if (before !== undefined && !hasChanged(before, state)) return;
    this.#unfinishedStates.set(id, state);
    for (const stream of this.#unfinishedStreams) stream.put(id, state, state['finished'] === true);
  }

  #failList(error: unknown): void {
    for (const stream of [...this.#unfinishedStreams]) stream.fail(error);
    for (const entry of this.#listedEntries) this.#fail(entry, error);
    this.#listController?.abort();
    this.#listController = null;
  }
}
