// Runs blocking actions step by step and keeps their states.
import type { Clock } from '../auth/expiring-map.ts';
import type { ActionRun, ActionStates, Lock, LockTarget } from '../engine/blocking.ts';
import type { Caller, Fields, Outcome, Row, Value } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import { type FailureKind, type Progress, progressFrom, progressToEnd, rollbackFrom } from './progress.ts';
import { createWaiters } from './waiters.ts';

/** How fast actions run and how long their states are kept. */
export interface ActionTiming {
  /**
   * Milliseconds between two steps. 0: actions finish immediately, and those of the seed do not move. manual: actions move
   * only when `advance` is called.
   */
  readonly step: number | 'manual';
  /** Milliseconds for which the state of a finished action is kept. */
  readonly expiry: number;
  /** Whether cancelling is a blocking action with its own state. */
  readonly cancelBlocks: boolean;
  /** The clock for actions that end at a time of day. */
  readonly now: Clock;
}

/** Controls the actions of a sandbox from outside the API. */
export interface ActionControl {
  /** The number of running actions. */
  readonly running: number;
  /** The number of waiting polls. */
  readonly waiting: number;
  /** Moves the action with the given state id, or every action, by a number of steps. */
  advance(steps: number, id?: number): void;
  /** Makes the next action fail, or the next action with the given scope. */
  failNext(kind: FailureKind, scope?: string): void;
  /** Stops every action where it is and ends every waiting poll. */
  close(): void;
}

interface RunningAction {
  readonly id: number;
  readonly run: ActionRun;
  /** The earliest time of the last step, in milliseconds since 1970. */
  readonly earliestEnd: number;
  /** The progress after each remaining step. */
  remaining: readonly Progress[];
  timer?: NodeJS.Timeout;
}

interface PlannedFailure {
  readonly kind: FailureKind;
  readonly scope: string | undefined;
}

const TABLE = 'action_states';

/** How often an action that waits for its time checks the clock when `step` is 0, in milliseconds. */
const CLOCK_CHECK_INTERVAL = 1_000;

/** Creates the states of blocking actions in the store's table `action_states`, and resumes the seed's actions. */
export function createActionStates(store: Store, timing: ActionTiming): ActionStates & ActionControl {
  return new RunningActions(store, timing);
}

class RunningActions implements ActionStates, ActionControl {
  readonly #store: Store;
  readonly #timing: ActionTiming;
  readonly #runningById = new Map<number, RunningAction>();
  readonly #plannedFailures: PlannedFailure[] = [];
  readonly #waiters = createWaiters();

  constructor(store: Store, timing: ActionTiming) {
    this.#store = store;
    this.#timing = timing;
    this.#resumeSeed();
  }

  get running(): number {
    return this.#runningById.size;
  }

  get waiting(): number {
    return this.#waiters.count;
  }

  start(run: ActionRun): number {
    this.#removeExpired();
    const { label, total, unit = 'transactions', canCancel = false, caller, scope } = run;
    const created_at = timestamp();
    const { id } = this.#store.insert(TABLE, {
      user: caller?.id ?? null,
      label,
      finished: false,
      status: true,
      current: 0,
      total,
      unit,
      can_cancel: canCancel,
      created_at,
      updated_at: created_at,
    });
    this.#begin(id, run, progressToEnd(total, this.#takeFailure(scope)));
    return id;
  }

  find(caller: Caller | null, id: number): Row | undefined {
    this.#removeExpired();
    const state = this.#store.row(TABLE, id);
    return state && (state['user'] === null || isOwner(caller, state)) ? state : undefined;
  }

  listUnfinished(caller: Caller | null): readonly Row[] {
    return this.#store.rows(TABLE).filter((state) => isOwner(caller, state) && !state['finished']);
  }

  waitForChange(id: number, ms: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(id, ms, signal);
  }

  cancel(state: Row, scope: string): Outcome {
    if (state['finished']) return { ok: false, message: 'This action has already finished' };
    if (!state['status']) return { ok: false, message: 'This action is already being rolled back' };
    if (!state['can_cancel']) return { ok: false, message: 'This action cannot be cancelled' };
    const current = Number(state['current']);
    const caller = toCaller(state['user']);
    const running = this.#runningById.get(state.id);
    // When `step` is 0, a state of the seed has no running action until it is cancelled.
    const run = running?.run ?? { label: String(state['label']), total: 0, scope, caller, lockTargets: [] };
    clearTimeout(running?.timer);
    this.#update(state.id, { status: false, can_cancel: false });
    this.#begin(state.id, run, rollbackFrom(Math.max(0, current - 1)));
    if (!this.#timing.cancelBlocks) return { ok: true, items: [] };
    const total = Math.max(1, current);
    const actionState = this.start({ label: 'Cancel', total, caller, scope, lockTargets: [] });
    return { ok: true, items: [], actionState };
  }

  findLock(targets: readonly LockTarget[]): Lock | undefined {
    for (const { id, run } of this.#runningById.values()) {
      const target = run.lockTargets.find((locked) => targets.some((wanted) => isSame(locked, wanted)));
      if (target) return { target, label: run.label, id };
    }
    return undefined;
  }

  advance(steps: number, id?: number): void {
    for (let step = 0; step < steps; step += 1) {
      for (const action of [...this.#runningById.values()]) {
        if (id === undefined || id === action.id) this.#move(action);
      }
    }
  }

  failNext(kind: FailureKind, scope?: string): void {
    this.#plannedFailures.push({ kind, scope });
  }

  close(): void {
    for (const { timer } of this.#runningById.values()) clearTimeout(timer);
    this.#runningById.clear();
    this.#waiters.release();
  }

  /** Resumes the unfinished actions of the seed. When `step` is 0 they do not move, so that clients can look at them. */
  #resumeSeed(): void {
    if (this.#timing.step === 0) return;
    for (const { id, user, label, finished, status, current, total } of this.#store.rows(TABLE)) {
      if (finished) continue;
      const run = {
        label: String(label),
        total: Number(total),
        scope: '',
        caller: toCaller(user),
        lockTargets: [],
      };
      this.#begin(id, run, progressFrom(Number(current), run.total, status === true));
    }
  }

  #begin(id: number, run: ActionRun, remaining: readonly Progress[]): void {
    const action: RunningAction = {
      id,
      run,
      remaining,
      earliestEnd: run.earliestEnd?.(this.#timing.now()) ?? 0,
    };
    this.#runningById.set(id, action);
    let moved = this.#timing.step === 0;
    while (moved) moved = this.#move(action);
    this.#schedule(action);
  }

  #schedule(action: RunningAction): void {
    const { step } = this.#timing;
    if (typeof step !== 'number' || !this.#runningById.has(action.id)) return;
    action.timer = setTimeout(() => {
      this.#move(action);
      this.#schedule(action);
    }, step || CLOCK_CHECK_INTERVAL).unref();
  }

  /** Takes the next step. Returns false when no step remains or the last step is not due. */
  #move(action: RunningAction): boolean {
    const [progress, ...remaining] = action.remaining;
    if (!progress) return false;
    const { finished, status, current } = progress;
    if (finished && current === action.run.total && action.earliestEnd > this.#timing.now()) return false;
    action.remaining = remaining;
    // The data changes before the state does, so a client that reads a finished state also reads the changed data.
    if (finished) this.#finish(action, status);
    this.#update(action.id, {
      ...progress,
      ...(finished || !status ? { can_cancel: false } : {}),
      ...(finished ? { finished_at: Date.now() } : {}),
    });
    return true;
  }

  #finish({ id, run, timer }: RunningAction, success: boolean): void {
    clearTimeout(timer);
    this.#runningById.delete(id);
    if (success) run.onSuccess?.();
    else run.onFailure?.();
  }

  #update(id: number, changes: Fields): void {
    this.#store.update(TABLE, id, { ...changes, updated_at: timestamp() });
    this.#waiters.release(id);
  }

  #removeExpired(): void {
    for (const { id, finished_at } of this.#store.rows(TABLE)) {
      if (typeof finished_at !== 'number') continue;
      if (finished_at + this.#timing.expiry <= Date.now()) this.#store.remove(TABLE, id);
    }
  }

  #takeFailure(scope: string): FailureKind | null {
    const failures = this.#plannedFailures;
    const index = failures.findIndex((failure) => failure.scope === undefined || failure.scope === scope);
    return failures.splice(index, index < 0 ? 0 : 1)[0]?.kind ?? null;
  }
}

function toCaller(user: Value | undefined): ActionRun['caller'] {
  return typeof user === 'number' ? { id: user } : null;
}

/** Whether a caller owns a state. Administrators see no states of other users either. */
function isOwner(caller: Caller | null, state: Row): boolean {
  return caller !== null && state['user'] === caller.id;
}

function isSame(a: LockTarget, b: LockTarget): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Returns the current time to the second: as on real servers, two steps within one second have the same `updated_at`. */
export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
