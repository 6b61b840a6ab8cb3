// Spreads work that becomes due at the same time over turns of the event loop.

/** Tasks that run in one turn. */
const TASKS_PER_TURN = 32;

/** Runs tasks in their order, a few in each turn of the event loop, so that a burst of them neither blocks it nor keeps the objects of all alive at once. */
export class Turns {
  #waiting: (() => void)[] = [];

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
