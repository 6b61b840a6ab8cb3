import type { Clock } from '../auth/expiring-map.ts';
import type { ActionStates, Run, Thing } from '../engine/blocking.ts';
import type { Caller, Fields, Row, Value } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import { type FailureKind, type Progress, progressFrom, progressOf, rollBack } from './progress.ts';
import { createWaiters } from './waiters.ts';

/** How fast actions go and how long their states are kept. */
export interface Pace {
  /** Milliseconds between steps; 0: actions finish at once, the seed's stand still; manual: nothing moves but by `advance`. */
  readonly step: number | 'manual';
  /** Milliseconds for which the state of a finished action is kept. */
  readonly expiry: number;
  /** Cancelling is a blocking action with a state of its own. */
  readonly cancelBlocks: boolean;
  /** What time it is for actions that end at a time of day. */
  readonly now: Clock;
}

/** What the owner of a sandbox can do with its actions. */
export interface ActionControl {
  /** Actions under way. */
  readonly running: number;
  /** Polls that wait. */
  readonly waiting: number;
  advance(steps: number, id?: number): void;
  failNext(kind: FailureKind, scope?: string): void;
  /** Stops every action where it is and lets every poll go. */
  close(): void;
}

interface Active {
  readonly run: Run;
  /** When the last step may be taken, in milliseconds since 1970. */
  readonly due: number;
  ahead: readonly Progress[];
  timer?: NodeJS.Timeout;
}

const table = 'action_states';

/** How often an action that waits for its time looks at the clock where steps take no time, in milliseconds. */
const idle = 1_000;

/** The states of blocking actions, in the store's table `action_states`. */
export function createActionStates(store: Store, pace: Pace): ActionStates & ActionControl {
  const active = new Map<number, Active>();
  const failures: { readonly kind: FailureKind; readonly scope: string | undefined }[] = [];
  const waiters = createWaiters();

  function begin(run: Run, ahead: readonly Progress[], id: number): void {
    const one: Active = { run, ahead, due: run.due?.(pace.now()) ?? 0 };
    active.set(id, one);
    let moved = pace.step === 0;
    while (moved) moved = move(id, one);
    if (active.has(id)) schedule(id, one);
  }

  function schedule(id: number, one: Active): void {
    if (typeof pace.step !== 'number') return;
    one.timer = setTimeout(() => {
      move(id, one);
      if (active.has(id)) schedule(id, one);
    }, pace.step || idle).unref();
  }

  /** Takes the next step; false when there is none, or when it is not time for it yet. */
  function move(id: number, one: Active): boolean {
    const [progress, ...ahead] = one.ahead;
    if (!progress) return false;
    if (progress.finished && progress.current === one.run.total && one.due > pace.now()) return false;
    one.ahead = ahead;
    if (progress.finished) end(id, one, progress.status);
    tell(id, {
      ...progress,
      ...(progress.finished || !progress.status ? { can_cancel: false } : {}),
      ...(progress.finished ? { finished_at: Date.now() } : {}),
    });
    return true;
  }

  /** The data first: who hears that an action has ended sees what it did. */
  function end(id: number, { run, timer }: Active, success: boolean): void {
    clearTimeout(timer);
    active.delete(id);
    if (success) run.end?.();
    else run.undo?.();
  }

  function tell(id: number, changes: Fields): void {
    store.update(table, id, { ...changes, updated_at: timestamp() });
    waiters.release(id);
  }

  function forget(): void {
    for (const { id, finished_at } of store.rows(table)) {
      if (typeof finished_at === 'number' && finished_at + pace.expiry <= Date.now()) store.remove(table, id);
    }
  }

  function outcomeOf(scope: string): FailureKind | null {
    const index = failures.findIndex((failure) => failure.scope === undefined || failure.scope === scope);
    return failures.splice(index, index < 0 ? 0 : 1)[0]?.kind ?? null;
  }

  function start(run: Run): number {
    forget();
    const { label, total, unit = 'transactions', canCancel = false, caller, scope } = run;
    const created_at = timestamp();
    const { id } = store.insert(table, {
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
    begin(run, progressOf(total, outcomeOf(scope)), id);
    return id;
  }

  /** Goes on with what the seed says is under way. Where actions take no time it stands still, so that it can be looked at. */
  function resume(): void {
    if (pace.step === 0) return;
    for (const { id, user, label, finished, status, current, total } of store.rows(table)) {
      if (finished) continue;
      const run = {
        label: String(label),
        total: Number(total),
        scope: '',
        caller: ownerOf(user),
        touches: [],
      };
      begin(run, progressFrom(Number(current), run.total, status === true), id);
    }
  }

  resume();
  return {
    start,
    find(caller, id) {
      forget();
      const state = store.row(table, id);
      return state && (state['user'] === null || isOf(caller, state)) ? state : undefined;
    },
    pending(caller) {
      return store.rows(table).filter((state) => isOf(caller, state) && !state['finished']);
    },
    change: waiters.wait,
    cancel(state, scope) {
      if (state['finished']) return { ok: false, message: 'This action has already finished' };
      if (!state['status']) return { ok: false, message: 'This action is already being rolled back' };
      if (!state['can_cancel']) return { ok: false, message: 'This action cannot be cancelled' };
      const current = Number(state['current']);
      const caller = ownerOf(state['user']);
      const known = active.get(state.id);
      // A state of the seed that stands still has no action behind it until now.
      const run = known?.run ?? { label: String(state['label']), total: 0, scope, caller, touches: [] };
      clearTimeout(known?.timer);
      tell(state.id, { status: false, can_cancel: false });
      begin(run, rollBack(Math.max(0, current - 1)), state.id);
      if (!pace.cancelBlocks) return { ok: true, items: [] };
      const total = Math.max(1, current);
      return {
        ok: true,
        items: [],
        actionState: start({ label: 'Cancel', total, caller, scope, touches: [] }),
      };
    },
    lockOf(things) {
      for (const [id, { run }] of active) {
        const thing = run.touches.find((locked) => things.some((wanted) => isSame(locked, wanted)));
        if (thing) return { thing, label: run.label, id };
      }
      return undefined;
    },
    get running() {
      return active.size;
    },
    get waiting() {
      return waiters.count;
    },
    advance(steps, only) {
      for (let step = 0; step < steps; step += 1) {
        for (const [id, one] of [...active]) if (only === undefined || only === id) move(id, one);
      }
    },
    failNext: (kind, scope) => void failures.push({ kind, scope }),
    close() {
      for (const { timer } of active.values()) clearTimeout(timer);
      active.clear();
      waiters.release();
    },
  };
}

function ownerOf(user: Value | undefined): Run['caller'] {
  return typeof user === 'number' ? { id: user } : null;
}

/** Whose action it is: nobody sees another's, not even an administrator. */
function isOf(caller: Pick<Caller, 'id'> | null, state: Row): boolean {
  return caller !== null && state['user'] === caller.id;
}

function isSame(a: Thing, b: Thing): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Now, to the second: progress within one second leaves `updated_at` as it was, as on real servers. */
export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
