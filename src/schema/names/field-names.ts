// Assigns unique names to the fields of one type or the arguments of one field, and finds free names.
import type { Action } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { escapeName, withValue } from './naming.ts';

type NameParts = Pick<Assembly, 'report' | 'given'>;

/** The names of the fields of one type, or of the arguments of one action's field. The first claim of a name gets it. */
export class FieldNames {
  readonly #taken: Set<string>;
  /** The names in the schema, with the coordinates of those that the overrides have given. */
  readonly #served: Map<string, string | null>;
  readonly #freeNames = new FreeNames();
  readonly #owner: string;
  readonly #parts: NameParts;
  readonly #coordinateOf: (name: string) => string;

  /**
   * @param owner Name of the type or scope of the action.
   * @param taken Names that are fixed.
   * @param coordinateOf Returns the coordinate of what has a name. Default: a field of the owner.
   */
  constructor(
    owner: string,
    parts: NameParts,
    taken: Iterable<string> = [],
    coordinateOf = (name: string): string => `${owner}.${name}`,
  ) {
    this.#owner = owner;
    this.#parts = parts;
    this.#taken = new Set(taken);
    this.#served = new Map([...this.#taken].map((name) => [name, null]));
    this.#coordinateOf = coordinateOf;
  }

  /** Takes a name that the overrides cannot change. */
  fix(name: string): void {
    this.#taken.add(name);
    this.#served.set(name, null);
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
      this.#parts.report.add('FIELD_NAME_CLASH', path, reason);
    }
    this.#taken.add(free);
    return this.#serve(free);
  }

  /** Returns the name in the schema for one that no other element has without the overrides. */
  #serve(own: string): string {
    const { given } = this.#parts;
    const coordinate = this.#coordinateOf(own);
    let name = given.nameFor(coordinate, own, (wanted) => this.#served.has(wanted));
    const taker = this.#served.get(name);
    if (taker !== undefined) {
      if (taker !== null) given.refuse(taker);
      name = this.#freeNames.find(withValue(name), this.#served);
    }
    this.#served.set(name, name === own ? null : coordinate);
    return name;
  }
}

/** Creates the names of the arguments of a field, by the coordinate of the field. */
export const namesOfArguments = (
  parts: NameParts,
  { scope }: Action,
  field: string,
  taken: Iterable<string> = [],
): FieldNames => new FieldNames(scope, parts, taken, (name) => `${field}(${name}:)`);

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
