import { setTimeout as pause } from 'node:timers/promises';
import { Patience, type StateCalls, type WatchOptions } from './action-calls.ts';
import { SubscriptionLimitError } from './errors.ts';
import { Mailbox } from './mailbox.ts';
import type { JsonObject } from './reader.ts';

/** Long polls that are open for one caller at the most; each holds a worker of the server. */
const LONG_POLLS = 8;

/** One action of one caller. */
interface Entry {
  readonly id: string;
  readonly readers: Set<Mailbox<JsonObject>>;
  readonly stop: AbortController;
  state: JsonObject | null;
  /** Watched by a long poll of its own, or with others through the list of unfinished ones. */
  mode: 'poll' | 'list';
}

/** The pollers of one credential: one an action, shared by all who watch it. */
export class CallerWatch {
  readonly #calls: StateCalls;
  readonly #options: WatchOptions;
  readonly #onIdle: () => void;
  readonly #entries = new Map<string, Entry>();
  /** All streams, and those among them of everything unfinished. */
  readonly #boxes = new Set<Mailbox<JsonObject>>();
  readonly #pending = new Set<Mailbox<JsonObject>>();
  #pendingSeen = new Map<string, JsonObject>();
  #list: AbortController | null = null;

  constructor(calls: StateCalls, options: WatchOptions, onIdle: () => void) {
    this.#calls = calls;
    this.#options = options;
    this.#onIdle = onIdle;
  }

  get size(): number {
    return this.#entries.size + this.#pending.size;
  }

  close(error: Error): void {
    for (const box of [...this.#boxes]) box.fail(error);
  }

  watch(ids: readonly string[], minInterval: number): AsyncIterableIterator<JsonObject> {
    const wanted = [...new Set(ids)];
    const box = this.#open(minInterval, () => {
      for (const id of wanted) this.#leave(id, box);
    });
    for (const id of wanted) this.#join(id, box);
    if (wanted.length === 0) box.finish();
    return box;
  }

  pending(): AsyncIterableIterator<JsonObject> {
    const box = this.#open(0, () => {
      this.#pending.delete(box);
      this.#tidy();
    });
    this.#pending.add(box);
    for (const [id, state] of this.#pendingSeen) box.put(id, state, false);
    this.#runList();
    return box;
  }

  async wait(id: string, ms: number, signal?: AbortSignal): Promise<JsonObject | null> {
    const states = this.watch([id], 0);
    const leave = (): void => void states.return?.();
    const timer = setTimeout(leave, ms);
    signal?.addEventListener('abort', leave);
    let last: JsonObject | null = null;
    try {
      for await (const state of states) last = state;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
    return last;
  }

  #open(minInterval: number, onReturn: () => void): Mailbox<JsonObject> {
    const { streams } = this.#options;
    if (this.#boxes.size >= streams) {
      throw new SubscriptionLimitError(
        `You have ${streams} streams of actions open, which is all that one caller may.`,
      );
    }
    const box: Mailbox<JsonObject> = new Mailbox(minInterval, () => {
      this.#boxes.delete(box);
      onReturn();
    });
    this.#boxes.add(box);
    return box;
  }

  #join(id: string, box: Mailbox<JsonObject>): void {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      const polls = [...this.#entries.values()].filter(({ mode }) => mode === 'poll').length;
      const mode = polls < LONG_POLLS || this.#calls.actions.index === null ? 'poll' : 'list';
      entry = { id, readers: new Set(), stop: new AbortController(), state: null, mode };
      this.#entries.set(id, entry);
      if (mode === 'poll') void this.#runPoll(entry);
      else this.#runList();
    }
    entry.readers.add(box);
    if (entry.state !== null) box.put(id, entry.state, false);
  }

  #leave(id: string, box: Mailbox<JsonObject>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || !entry.readers.delete(box) || entry.readers.size > 0) return;
    this.#remove(entry);
  }

  #remove(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    entry.stop.abort();
    if (entry.mode === 'poll') this.#promote();
    this.#tidy();
  }

  /** Gives a free long poll to an action that is watched through the list. */
  #promote(): void {
    for (const entry of this.#entries.values()) {
      if (entry.mode !== 'list') continue;
      entry.mode = 'poll';
      void this.#runPoll(entry);
      return;
    }
  }

  #tidy(): void {
    const needsList =
      this.#pending.size > 0 || [...this.#entries.values()].some(({ mode }) => mode === 'list');
    if (!needsList) {
      this.#list?.abort();
      this.#list = null;
      this.#pendingSeen = new Map();
    }
    if (this.size === 0) this.#onIdle();
  }

  #update(entry: Entry, state: JsonObject): void {
    const isFinished = state['finished'] === true;
    if (entry.state !== null && !isNews(entry.state, state)) return;
    entry.state = state;
    for (const box of entry.readers) box.put(entry.id, state, isFinished);
    if (!isFinished) return;
    const readers = [...entry.readers];
    this.#remove(entry);
    for (const box of readers) {
      if (![...this.#entries.values()].some((other) => other.readers.has(box))) box.finish();
    }
  }

  #fail(entry: Entry, error: unknown): void {
    const readers = [...entry.readers];
    this.#remove(entry);
    for (const box of readers) box.fail(error);
  }

  async #runPoll(entry: Entry): Promise<void> {
    const { signal } = entry.stop;
    const patience = new Patience(this.#options);
    while (!signal.aborted) {
      const started = Date.now();
      try {
        const before = entry.state;
        const state = await this.#calls.poll(entry.id, before, signal);
        patience.succeeded();
        this.#update(entry, state);
        // A server that answers at once although nothing changed must not be asked for ever.
        const isBusy =
          before !== null && !isNews(before, state) && Date.now() - started < this.#options.interval / 2;
        if (isBusy && !signal.aborted) await pause(this.#options.interval, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        await patience.failed(error, signal).catch((end: unknown) => this.#fail(entry, end));
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
    const patience = new Patience(this.#options);
    while (!signal.aborted) {
      try {
        const rows = await this.#calls.pending(signal);
        const states = new Map(rows.map((row) => [String(row['id']), row]));
        patience.succeeded();
        await this.#settle(states, signal);
        await pause(this.#options.interval, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        await patience.failed(error, signal).catch((end: unknown) => this.#failList(end));
      }
    }
  }

  async #settle(states: ReadonlyMap<string, JsonObject>, signal: AbortSignal): Promise<void> {
    const gone = new Set<string>();
    for (const entry of [...this.#entries.values()].filter(({ mode }) => mode === 'list')) {
      const state = states.get(entry.id);
      if (state === undefined) gone.add(entry.id);
      else this.#update(entry, state);
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
      const state = await this.#calls.show(id, signal);
      if (entry !== undefined) this.#update(entry, state);
      if (this.#pendingSeen.has(id)) this.#tellPending(id, state);
      if (state['finished'] === true) this.#pendingSeen.delete(id);
    } catch (error) {
      if (signal.aborted) throw error;
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
    for (const entry of [...this.#entries.values()]) if (entry.mode === 'list') this.#fail(entry, error);
    this.#list?.abort();
    this.#list = null;
  }
}

const NEWS = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether a state tells something that the one before did not. */
function isNews(before: JsonObject, after: JsonObject): boolean {
  return NEWS.some((name) => before[name] !== after[name]);
}
