import { setTimeout as pause } from 'node:timers/promises';
import { SubscriptionLimitError } from '../errors/request-errors.ts';
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import { type ActionStateCalls, Backoff, isTransient, type WatchOptions } from './action-calls.ts';
import { LatestValueQueue } from './latest-value-queue.ts';
import { WatchedAction } from './watched-action.ts';

/** Long polls that all callers may have open together, as far as they are not taken. */
export interface PollBudget {
  left: number;
}

/** Long polls that are open for one caller at the most; each holds a worker of the server. */
const LONG_POLLS = 8;

/** Between the starts of two polls of an action, however fast it moves. Milliseconds. */
const LEAST_DISTANCE = 100;

/** Longest pause until an action that the list leaves out is asked for again. Milliseconds. */
const LONGEST_ABSENCE = 30_000;

/** The pollers of one credential: one an action, shared by all who watch it. */
export class CallerWatcher {
  readonly #calls: ActionStateCalls;
  readonly #options: WatchOptions;
  readonly #budget: PollBudget;
  readonly #onIdle: () => void;
  readonly #entries = new Map<string, WatchedAction>();
  /** All streams, and those among them of everything unfinished. */
  readonly #boxes = new Set<LatestValueQueue<JsonObject>>();
  readonly #pending = new Set<LatestValueQueue<JsonObject>>();
  /** Counts looks at the list for those whose actions are watched through it. */
  readonly #listMeter = sharedMeter(() => this.#listed.flatMap(({ meters }) => meters));
  #pendingSeen = new Map<string, JsonObject>();
  #list: AbortController | null = null;

  constructor(calls: ActionStateCalls, options: WatchOptions, budget: PollBudget, onIdle: () => void) {
    this.#calls = calls;
    this.#options = options;
    this.#budget = budget;
    this.#onIdle = onIdle;
  }

  get size(): number {
    return this.#entries.size + this.#pending.size;
  }

  close(error: Error): void {
    for (const box of [...this.#boxes]) box.fail(error);
  }

  watch(
    ids: readonly string[],
    minInterval: number,
    signal?: AbortSignal,
    meter: CallMeter | null = null,
  ): AsyncIterableIterator<JsonObject> {
    const wanted = [...new Set(ids)];
    const box = this.#open(minInterval, signal, () => {
      for (const id of wanted) this.#leave(id, box);
    });
    if (signal?.aborted !== true) for (const id of wanted) this.#join(id, box, meter);
    if (wanted.length === 0) box.finish();
    return box;
  }

  pending(signal?: AbortSignal): AsyncIterableIterator<JsonObject> {
    const box = this.#open(0, signal, () => {
      this.#pending.delete(box);
      this.#tidy();
    });
    if (signal?.aborted === true) return box;
    this.#pending.add(box);
    for (const [id, state] of this.#pendingSeen) box.put(id, state, false);
    this.#runList();
    return box;
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

  /** Opens a stream, which ends with its reader's request, whether or not anybody has begun to read. */
  #open(
    minInterval: number,
    signal: AbortSignal | undefined,
    onReturn: () => void,
  ): LatestValueQueue<JsonObject> {
    const { streams } = this.#options;
    if (this.#boxes.size >= streams) {
      throw new SubscriptionLimitError(
        `You have ${streams} streams of actions open, which is all that one caller may.`,
      );
    }
    const leave = (): void => void box.return();
    const box: LatestValueQueue<JsonObject> = new LatestValueQueue(minInterval, () => {
      signal?.removeEventListener('abort', leave);
      this.#boxes.delete(box);
      onReturn();
    });
    this.#boxes.add(box);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave);
    return box;
  }

  #join(id: string, box: LatestValueQueue<JsonObject>, meter: CallMeter | null): void {
    this.#entries.get(id)?.join(box, meter);
    if (this.#entries.has(id)) return;
    const polls = this.#entries.size - this.#listed.length;
    const isFree = polls < LONG_POLLS && this.#budget.left > 0;
    const mode = isFree || this.#calls.actions.index === null ? 'poll' : 'list';
    const entry = new WatchedAction(id, mode, this.#options.interval);
    this.#entries.set(id, entry);
    entry.join(box, meter);
    if (mode === 'poll') this.#beginPoll(entry);
    else this.#runList();
  }

  /** The actions that are watched through the list. */
  get #listed(): readonly WatchedAction[] {
    return [...this.#entries.values()].filter(({ mode }) => mode === 'list');
  }

  #leave(id: string, box: LatestValueQueue<JsonObject>): void {
    const entry = this.#entries.get(id);
    if (entry?.leave(box)) this.#remove(entry);
  }

  #remove(entry: WatchedAction): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    entry.stop.abort();
    if (entry.mode === 'poll') {
      this.#budget.left += 1;
      this.#promote();
    }
    this.#tidy();
  }

  #beginPoll(entry: WatchedAction): void {
    this.#budget.left -= 1;
    void this.#runPoll(entry);
  }

  /** Gives a free long poll to an action that is watched through the list. */
  #promote(): void {
    if (this.#budget.left <= 0) return;
    const [entry] = this.#listed;
    if (entry === undefined) return;
    entry.mode = 'poll';
    this.#beginPoll(entry);
  }

  #tidy(): void {
    if (this.#pending.size === 0 && this.#listed.length === 0) {
      this.#list?.abort();
      this.#list = null;
      this.#pendingSeen = new Map();
    }
    if (this.size === 0) this.#onIdle();
  }

  #update(entry: WatchedAction, state: JsonObject): void {
    const isFinished = state['finished'] === true;
    if (entry.state !== null && !isNews(entry.state, state)) return;
    entry.state = state;
    for (const box of entry.readers) box.put(entry.id, state, isFinished);
    if (!isFinished) return;
    this.#remove(entry);
    for (const box of entry.readers) {
      if (![...this.#entries.values()].some((other) => other.isReadBy(box))) box.finish();
    }
  }

  #fail(entry: WatchedAction, error: unknown): void {
    this.#remove(entry);
    for (const box of entry.readers) box.fail(error);
  }

  async #runPoll(entry: WatchedAction): Promise<void> {
    const { meter } = entry;
    const { signal } = entry.stop;
    const patience = new Backoff(this.#options);
    while (!signal.aborted) {
      const started = Date.now();
      try {
        const before = entry.state;
        const state = await this.#calls.poll(entry.id, before, { signal, meter });
        patience.reset();
        this.#update(entry, state);
        // A server that answers at once although nothing changed must not be asked for ever.
        const took = Date.now() - started;
        const isBusy = before !== null && !isNews(before, state) && took < this.#options.interval / 2;
        const rest = isBusy ? this.#options.interval : LEAST_DISTANCE - took;
        if (rest > 0 && !signal.aborted) await pause(rest, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        await patience.waitOrThrow(error, signal).catch((end: unknown) => this.#fail(entry, end));
      }
    }
  }

  #runList(): void {
    if (this.#list !== null) return;
    this.#list = new AbortController();
    void this.#watchList(this.#list.signal);
  }

  /** Looks at the unfinished actions in intervals; those that left them are settled one by one. */
  async #watchList(signal: AbortSignal): Promise<void> {
    const patience = new Backoff(this.#options);
    while (!signal.aborted) {
      try {
        const rows = await this.#calls.pending({ signal, meter: this.#listMeter });
        const states = new Map(rows.map((row) => [String(row['id']), row]));
        await this.#settle(states, signal);
        patience.reset();
        await pause(this.#options.interval, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        await patience.waitOrThrow(error, signal).catch((end: unknown) => this.#failList(end));
      }
    }
  }

  async #settle(states: ReadonlyMap<string, JsonObject>, signal: AbortSignal): Promise<void> {
    const gone = new Set<string>();
    for (const entry of this.#listed) {
      const state = states.get(entry.id);
      if (state !== undefined) this.#update(entry, state);
      else if (Date.now() >= entry.absence.until) gone.add(entry.id);
    }
    if (this.#pending.size > 0) {
      for (const [id, state] of states) this.#tellPending(id, state);
      for (const id of this.#pendingSeen.keys()) if (!states.has(id)) gone.add(id);
    }
    // Bounded like the long polls: a thousand that end together are settled a few at a time.
    const ids = [...gone];
    for (let start = 0; start < ids.length; start += LONG_POLLS) {
      await Promise.all(ids.slice(start, start + LONG_POLLS).map((id) => this.#settleOne(id, signal)));
    }
  }

  async #settleOne(id: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    try {
      const state = await this.#calls.show(id, { signal, ...(entry && { meter: entry.meter }) });
      if (entry !== undefined) {
        const { pause: wait } = entry.absence;
        entry.absence = { until: Date.now() + wait, pause: Math.min(wait * 2, LONGEST_ABSENCE) };
        this.#update(entry, state);
      }
      if (this.#pendingSeen.has(id)) this.#tellPending(id, state);
      if (state['finished'] === true) this.#pendingSeen.delete(id);
    } catch (error) {
      // A passing fault says nothing of the action: it is asked for in the next round.
      if (signal.aborted || isTransient(error)) throw error;
      this.#pendingSeen.delete(id);
      if (entry !== undefined) this.#fail(entry, error);
    }
  }

  #tellPending(id: string, state: JsonObject): void {
    const seen = this.#pendingSeen.get(id);
    if (seen !== undefined && !isNews(seen, state)) return;
    this.#pendingSeen.set(id, state);
    for (const box of this.#pending) box.put(id, state, state['finished'] === true);
  }

  #failList(error: unknown): void {
    for (const box of [...this.#pending]) box.fail(error);
    for (const entry of this.#listed) this.#fail(entry, error);
    this.#list?.abort();
    this.#list = null;
  }
}

const NEWS = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether a state tells something that the one before did not. */
function isNews(before: JsonObject, after: JsonObject): boolean {
  return NEWS.some((name) => before[name] !== after[name]);
}
