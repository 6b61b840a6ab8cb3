// Finds free names for things whose plain names are taken.
import { escapeName } from './naming.ts';

/** Number of `_` that are appended to a name before it gets a number. */
const MAX_UNDERSCORES = 3;

/** Finds free names. A description may map thousands of names to one, so the search does not begin anew for each. */
export class FreeNames {
  /** How many suffixes of each name were tried. */
  readonly #tried = new Map<string, number>();

  /** Returns the name, or, if it is taken, the name with `_`, `__`, `___`, `_4`, `_5` and so on. */
  find(name: string, taken: { has(name: string): boolean }): string {
    if (!taken.has(name)) return name;
    let count = this.#tried.get(name) ?? 0;
    let free: string;
    do {
      count += 1;
      free = escapeName(name + (count > MAX_UNDERSCORES ? `_${count}` : '_'.repeat(count)));
    } while (taken.has(free));
    this.#tried.set(name, count);
    return free;
  }
}
