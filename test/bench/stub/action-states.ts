// Running actions whose progress changes at a steady rate, with long polls.
import type { StatesOrder } from './orders.ts';

/** An action that runs for ever. `current` is the time of its last change, so that who receives it knows its age. */
interface State {
  readonly id: number;
  current: number;
  /** Called at the next change. */
  readonly waiting: Set<() => void>;
}

/** Large enough for a progress below 1. */
const TOTAL = 1_000_000_000;

const TICK = 50;

const describe = ({ id, current }: State) => ({
  id,
  label: `Action ${id}`,
  status: true,
  current,
  total: TOTAL,
  finished: false,
});

/** The actions of some callers, in equal numbers. */
export class ActionStates {
  readonly #states: readonly State[];
  readonly #order: StatesOrder;
  readonly #first: number;
  /** The number of changes that were due since the epoch. */
  #due: number;
  #lastTick = Date.now();

  constructor(order: StatesOrder) {
    this.#order = order;
    this.#states = Array.from({ length: order.actions }, (_, index) => ({
      id: index + 1,
      current: 0,
      waiting: new Set(),
    }));
    this.#first = this.#countDue(Date.now());
    this.#due = this.#first;
    setInterval(() => this.#changeDue(), TICK).unref();
  }

  /** The number of changes so far, and the time up to which they are counted. */
  get progress(): { readonly changes: number; readonly at: number } {
    return { changes: this.#due - this.#first, at: this.#lastTick };
  }

  #countDue(now: number): number {
    const { epoch, period } = this.#order;
    return Math.floor(((now - epoch) / period) * this.#states.length);
  }

  /** Changes actions one after another, so that each changes once in a period. */
  #changeDue(): void {
    const now = Date.now();
    this.#lastTick = now;
    for (const due = this.#countDue(now); this.#due < due; this.#due += 1) {
      const state = this.#states[this.#due % this.#states.length];
      if (state === undefined) return;
      state.current = now - this.#order.epoch;
      for (const wake of [...state.waiting]) wake();
    }
  }

  /** The unfinished actions of a caller, as `action_states`. */
  list(caller: number, query: URLSearchParams): object {
    const limit = Number(query.get('action_states[limit]') ?? this.#states.length);
    const from = Number(query.get('action_states[from_id]') ?? 0);
    const own = this.#states.filter(({ id }) => id % this.#order.callers === caller && id > from);
    return { action_states: own.slice(0, limit).map(describe) };
  }

  /** An action, as `action_state`; null where there is none. */
  show(id: number): object | null {
    const state = this.#states[id - 1];
    return state === undefined ? null : { action_state: describe(state) };
  }

  /** Calls back when an action differs from what the query says, or when its `timeout` has passed. */
  poll(id: number, query: URLSearchParams, done: () => void): void {
    const state = this.#states[id - 1];
    const known = query.get('action_state[current]');
    if (state === undefined || known !== String(state.current)) {
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
