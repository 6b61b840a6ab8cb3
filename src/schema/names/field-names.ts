// Assigns unique names to the fields of one type or the arguments of one field, and finds free names.
import type { Report } from '../model/report.ts';
import { escapeName, withValue } from './naming.ts';

/** The names of the fields of one type, or of the arguments of one action's field. The first claim of a name gets it. */
export class FieldNames {
  readonly #taken: Set<string>;
  readonly #freeNames = new FreeNames();
  readonly #owner: string;
  readonly #report: Report;

  /**
   * @param owner Name of the type or scope of the action.
   * @param taken Names that are fixed.
   */
  constructor(owner: string, report: Report, taken: Iterable<string> = []) {
    this.#owner = owner;
    this.#report = report;
    this.#taken = new Set(taken);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * Returns the name, or, if it is taken, another one; then adds a finding.
   * @param path The place in the description for the finding. Default: the owner.
   * @param other Makes the other name, to which `_` is appended if it is taken too. Default: that of a parameter.
   */
  claim(name: string, path = this.#owner, other: (name: string) => string = withValue): string {
    const free = this.#taken.has(name) ? this.#freeNames.find(other(name), this.#taken) : name;
    if (free !== name) {
      const reason = `${this.#owner}.${name} is taken; the field is named ${free}`;
      this.#report.add('FIELD_NAME_CLASH', path, reason);
    }
    this.#taken.add(free);
    return free;
  }
}

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
