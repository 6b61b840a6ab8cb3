import type { Row } from './definition.ts';
import type { Store } from './store.ts';

/** Work that takes its time. */
export interface Work {
  /** Whose it is. */
  readonly user: number;
  readonly label: string;
  /** Steps after the one in which it is queued. */
  readonly total: number;
  readonly cancellable: boolean;
  /** What nobody else may write meanwhile, e.g. `datasets/14`. */
  readonly locks: readonly string[];
  /** What is so when it has succeeded. */
  succeed?(): void;
  /** Takes back what was done when it began. */
  undo?(): void;
}

/** How the next action fails: below its total, at it, or by way of a rollback. */
export type FailureKind = 'below' | 'at-total' | 'rollback';

/** The actions that run in one sandbox; their states are rows of the table `action_states`. */
export interface Running {
  /** Begins work and returns the id of its state. */
  start(work: Work): number;
  /** Asks work to stop; it rolls back. Returns why it cannot, or null. */
  cancel(id: number): string | null;
  /** What locks one of the things, in words; null when nothing does. */
  lockOf(things: readonly string[]): string | null;
  /** Moves everything so many steps. */
  advance(steps?: number): void;
  /** Makes the next work that begins fail. */
  failNext(kind: FailureKind): void;
  /** Whether an ended state may still be shown. */
  isKept(state: Row): boolean;
  /** Resolves when a state changes, the time is over or the signal aborts, whichever is first. */
  changed(id: number, ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** How time passes. */
export interface RunningOptions {
  /** Milliseconds between steps; 0: work ends as it begins; `manual`: only `advance` moves it. */
  readonly step: number | 'manual';
  /** Milliseconds that an ended state can be shown for. */
  readonly stateExpiry: number;
}

interface Job {
  readonly id: number;
  readonly work: Work;
  readonly failure: FailureKind | null;
  isRollingBack: boolean;
}

/** Runs work over a store. */
export function createRunning(store: Store, { step, stateExpiry }: RunningOptions): Running {
  const jobs = new Map<number, Job>();
  const ended = new Map<number, number>();
  const watchers = new Map<number, Set<() => void>>();
  let failure: FailureKind | null = null;
  let timer: NodeJS.Timeout | null = null;

  const tell = (id: number): void => {
    for (const wake of [...(watchers.get(id) ?? [])]) wake();
  };
  const change = (
    id: number,
    changes: Partial<Record<'current' | 'status' | 'finished' | 'can_cancel', number | boolean>>,
  ): void => {
    store.update('action_states', id, { ...changes, updated_at: new Date().toISOString() });
    tell(id);
  };

  function finish({ id, work }: Job, status: boolean): void {
    jobs.delete(id);
    ended.set(id, Date.now());
    if (status) work.succeed?.();
    else work.undo?.();
    change(id, { finished: true, status, can_cancel: false });
    if (jobs.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  }

  function move(job: Job): void {
    const { id, work } = job;
    const current = Number(store.row('action_states', id)?.['current'] ?? 0);
    const next = current + 1;
    const isHalf = next >= Math.max(1, Math.floor(work.total / 2));
    if (job.isRollingBack) {
      if (current <= 1) finish(job, false);
      else change(id, { current: current - 1 });
    } else if (job.failure === 'rollback' && isHalf) {
      rollBack(job);
    } else if (job.failure === 'below' && isHalf) {
      finish(job, false);
    } else if (next < work.total) {
      change(id, { current: next });
    } else {
      store.update('action_states', id, { current: next });
      finish(job, job.failure === null);
    }
  }

  function rollBack(job: Job): void {
    job.isRollingBack = true;
    change(job.id, { status: false, can_cancel: false });
  }

  function advance(steps = 1): void {
    for (let count = 0; count < steps; count++) for (const job of [...jobs.values()]) move(job);
  }

  return {
    advance,
    start(work) {
      const now = new Date().toISOString();
      const { id } = store.insert('action_states', {
        user: work.user,
        label: work.label,
        finished: false,
        status: true,
        current: 0,
        total: work.total,
        unit: 'transactions',
        can_cancel: work.cancellable,
        created_at: now,
        updated_at: now,
      });
      const job: Job = { id, work, failure, isRollingBack: false };
      failure = null;
      jobs.set(id, job);
      if (step === 0) while (jobs.has(id)) move(job);
      else if (step !== 'manual') timer ??= setInterval(advance, step).unref();
      return id;
    },
    cancel(id) {
      const job = jobs.get(id);
      if (job === undefined || job.isRollingBack || !job.work.cancellable)
        return 'The action cannot be cancelled';
      rollBack(job);
      return null;
    },
    lockOf(things) {
      const job = [...jobs.values()].find(({ work }) => work.locks.some((lock) => things.includes(lock)));
      return job === undefined ? null : `The object is locked by "${job.work.label}" (action ${job.id})`;
    },
    failNext(kind) {
      failure = kind;
    },
    isKept({ id }) {
      const at = ended.get(id);
      return at === undefined || Date.now() - at < stateExpiry;
    },
    changed(id, ms, signal) {
      return new Promise((resolve) => {
        const wakes = watchers.get(id) ?? new Set();
        watchers.set(id, wakes);
        const wake = (): void => {
          clearTimeout(limit);
          signal.removeEventListener('abort', wake);
          wakes.delete(wake);
          if (wakes.size === 0) watchers.delete(id);
          resolve();
        };
        const limit = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        wakes.add(wake);
        if (signal.aborted) wake();
      });
    },
    close() {
      if (timer !== null) clearInterval(timer);
      for (const id of [...watchers.keys()]) tell(id);
    },
  };
}
