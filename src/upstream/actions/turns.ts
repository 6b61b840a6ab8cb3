// Spreads tasks over turns of the event loop.
import type { Replicas } from '../../sharing/replicas.ts';

/** Tasks that run in one turn. */
const TASKS_PER_TURN = 32;

/** Turns until a message to other replicas is on its way: it waits for the end of a turn, and the client of Redis writes it in the next one. */
const TURNS_TO_SEND = 3;

/** Decides in which turn of the event loop tasks run. Tasks of one method run in the order of their calls. */
export class Turns {
  #waiting: (() => void)[] = [];
  readonly #replicas: Pick<Replicas, 'hasOthers'>;
  /** Tasks that this turn defers; null for none. */
  #deferred: (() => void)[] | null = null;

  /** @param replicas Has `hasOthers`: whether other replicas receive messages. */
  constructor(replicas: Pick<Replicas, 'hasOthers'>) {
    this.#replicas = replicas;
  }

  /** Runs a task when earlier messages are on their way to the other replicas, even if this process is killed then. Without others, runs it at once. */
  afterSending(task: () => void): void {
    if (this.#replicas.hasOthers) this.#defer(task);
    else task();
  }

  #defer(task: () => void): void {
    if (this.#deferred === null) {
      const tasks: (() => void)[] = [];
      this.#deferred = tasks;
      setImmediate(() => {
        this.#deferred = null;
        runLater(tasks, TURNS_TO_SEND - 1);
      });
    }
    this.#deferred.push(task);
  }

  /** Runs a task, with a few others, in one of the next turns, so that a burst of them neither blocks the event loop nor keeps the objects of all alive at once. */
  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length === 1) setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const tasks = this.#waiting.splice(0, TASKS_PER_TURN);
    for (const task of tasks) task();
    if (this.#waiting.length > 0) setImmediate(this.#run);
  };
}

function runLater(tasks: readonly (() => void)[], turns: number): void {
  if (turns > 0) setImmediate(() => runLater(tasks, turns - 1));
  else for (const task of tasks) task();
}
