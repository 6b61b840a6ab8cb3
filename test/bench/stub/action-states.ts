// Running actions whose progress changes at a steady rate, with long polls.
import type { StatesOrder, StatesReport } from './orders.ts';

/** An action. `current` is the time of its last change, so that who receives it knows its age. */
interface State {
  readonly id: number;
  current: number;
  /** Changes until it ends. */
  changesLeft: number;
  isFinished: boolean;
  /** Called at the next change. */
  readonly waiting: Set<() => void>;
}

/** Large enough for a progress below 1. */
const TOTAL = 1_000_000_000;

const TICK = 50;

const describe = ({ id, current, isFinished }: State) => ({
  id,
  label: `Action ${id}`,
  status: true,
  current,
  total: TOTAL,
  finished: isFinished,
});

/** The actions of some callers, in equal numbers. */
export class ActionStates {
  /** Those that run. */
  readonly #running: State[];
  /** Those that run and those that have ended, by id. */
  readonly #states = new Map<number, State>();
  readonly #order: StatesOrder;
  readonly #first: number;
  /** The number of changes that were due since the epoch. */
  #due: number;
  #lastTick = Date.now();
  readonly #timer: NodeJS.Timeout;

  constructor(order: StatesOrder) {
    this.#order = order;
    // They end one after another.
    this.#running = Array.from({ length: order.actions }, (_, index) =>
      this.#begin(index + 1, (index % (order.changes ?? 1)) + 1),
    );
    this.#first = this.#countDue(Date.now());
    this.#due = this.#first;
    this.#timer = setInterval(() => this.#changeDue(), TICK).unref();
  }

  /** The number of changes so far, and the time up to which they are counted. */
  get progress(): StatesReport {
    return { changes: this.#due - this.#first, at: this.#lastTick };
  }

  /** Ends all actions. No other ones begin. */
  end(): void {
    clearInterval(this.#timer);
    for (const state of this.#running.splice(0)) this.#finish(state, Date.now());
  }

  #begin(id: number, changesLeft: number): State {
    const state: State = { id, current: 0, changesLeft, isFinished: false, waiting: new Set() };
    this.#states.set(id, state);
    return state;
  }

  #finish(state: State, now: number): void {
    state.isFinished = true;
    this.#change(state, now);
  }

  #change(state: State, now: number): void {
    state.current = now - this.#order.epoch;
    for (const wake of [...state.waiting]) wake();
  }

  #countDue(now: number): number {
    const { epoch, period } = this.#order;
    return Math.floor(((now - epoch) / period) * this.#order.actions);
  }

  /** Changes actions one after another, so that each changes once in a period. */
  #changeDue(): void {
    const now = Date.now();
    this.#lastTick = now;
    const { actions, changes } = this.#order;
    for (const due = this.#countDue(now); this.#due < due; this.#due += 1) {
      const place = this.#due % actions;
      const state = this.#running[place];
      if (state === undefined) return;
      state.changesLeft -= 1;
      if (changes === undefined || state.changesLeft > 0) {
        this.#change(state, now);
      } else {
        this.#running[place] = this.#begin(state.id + actions, changes);
        this.#finish(state, now);
      }
    }
  }

  /** The unfinished actions of a caller, as `action_states`. */
  list(caller: number, query: URLSearchParams): object {
    const limit = Number(query.get('action_states[limit]') ?? this.#running.length);
    const from = Number(query.get('action_states[from_id]') ?? 0);
    const own = this.#running
      .filter(({ id }) => id % this.#order.callers === caller && id > from)
      .sort((a, b) => a.id - b.id);
    return { action_states: own.slice(0, limit).map(describe) };
  }

  /** An action, as `action_state`; null where there is none. */
  show(id: number): object | null {
    const state = this.#states.get(id);
    return state === undefined ? null : { action_state: describe(state) };
  }

  /** Calls back when an action differs from what the query says, or when its `timeout` has passed. */
  poll(id: number, query: URLSearchParams, done: () => void): void {
    const state = this.#states.get(id);
    const known = query.get('action_state[current]');
    if (state === undefined || known !== String(state.current) || state.isFinished) {
      done();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      state.waiting.delete(finish);
      done();
    };
    const timer = setTimeout(finish, Number(query.get('action_state[timeout]') ?? 15) * 1_000);
    state.waiting.add(finish);
  }
}
