// Gives unique names to the types of a schema, the fields of a type and the arguments of a field, those of the overrides included.
import type { Report } from '../model/report.ts';
import { escapeName, withValue } from './naming.ts';

/** The code of a finding about a name that cannot be given. A server with such a finding does not start. */
export const NAME_CONFLICT = 'NAME_CONFLICT';

/** The names of the overrides by the coordinates that the elements have without them. */
export class GivenNames {
  readonly #names: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  readonly #report: Report;

  constructor(names: Readonly<Record<string, string>> = {}, report: Report) {
    this.#names = new Map(Object.entries(names));
    this.#report = report;
  }

  has(coordinate: string): boolean {
    return this.#names.has(coordinate);
  }

  /** Returns the name of an element. @param isTaken Whether another element has a name. */
  nameFor(coordinate: string, own: string, isTaken: (name: string) => boolean): string {
    const given = this.#names.get(coordinate);
    if (given === undefined) return own;
    this.#used.add(coordinate);
    if (given === own || !isTaken(given)) return given;
    this.refuse(coordinate);
    return own;
  }

  /** Adds the finding that an element cannot have its name. */
  refuse(coordinate: string): void {
    const reason = `${this.#names.get(coordinate)} is reserved, or the name of another element there; choose another one, or rename the other element, too`;
    this.#report.add(NAME_CONFLICT, `names.${coordinate}`, reason);
  }

  /** Adds a finding for each name that no element has got. */
  reportUnused(): void {
    for (const coordinate of this.#names.keys())
      if (!this.#used.has(coordinate)) {
        const reason =
          'the schema has no such element of the API; write the coordinate that it has without this name, in a type that has a name from here by that name';
        this.#report.add('OVERRIDE_UNUSABLE', `names.${coordinate}`, reason);
      }
  }
}

/** Returns the schema coordinate of what has a name. */
type CoordinateOf = (name: string) => string;

/** Coordinates of the fields of a type, or of the values of an enum. */
export const fieldsOf =
  (type: string): CoordinateOf =>
  (name) =>
    `${type}.${name}`;

/** Coordinates of the arguments of a field. @param field Its coordinate. */
export const argumentsOf =
  (field: string): CoordinateOf =>
  (name) =>
    `${field}(${name}:)`;

/** Number of `_` that are appended to a name before it gets a number. */
const MAX_UNDERSCORES = 3;

/** Unique names in one place. The first claim of a name gets it. An element that the overrides rename keeps its own name from the others. */
export class UniqueNames {
  /** The names without the overrides. */
  readonly #own: Set<string>;
  /** The names in the schema, with the coordinates of those that the overrides have given. */
  readonly #names: Map<string, string | null>;
  /** How many suffixes of each name were tried. A description may map thousands of names to one. */
  readonly #tried = new Map<string, number>();
  readonly #parts: { readonly given: GivenNames; readonly report: Report };
  readonly #coordinateOf: CoordinateOf;

  /** @param taken Names that are fixed. */
  constructor(
    parts: { readonly given: GivenNames; readonly report: Report },
    coordinateOf: CoordinateOf,
    taken: Iterable<string> = [],
  ) {
    this.#parts = parts;
    this.#coordinateOf = coordinateOf;
    this.#own = new Set(taken);
    this.#names = new Map([...this.#own].map((name) => [name, null]));
  }

  /** Takes a name that the overrides cannot change. */
  fix(name: string): void {
    this.#own.add(name);
    this.#names.set(name, null);
  }

  /** Whether a name is taken without the overrides. */
  has(name: string): boolean {
    return this.#own.has(name);
  }

  /**
   * Returns the name in the schema of what has a name by the description. If that is taken, it is another one; then adds a finding.
   * @param path The place in the description for the finding. Default: the coordinate.
   * @param other Makes the other name, to which `_` is appended if it is taken too. Default: that of a parameter.
   */
  claim(name: string, path?: string, other: (name: string) => string = withValue): string {
    const { given, report } = this.#parts;
    const isTaken = this.#own.has(name);
    const own = isTaken ? this.#findFree(other(name), this.#own) : name;
    this.#own.add(own);
    const coordinate = this.#coordinateOf(own);
    if (isTaken && !given.has(coordinate)) {
      const code = coordinate === own ? 'TYPE_NAME_CLASH' : 'FIELD_NAME_CLASH';
      const reason = `the name ${this.#coordinateOf(name)} is taken, so that it is ${coordinate}; choose another name in the overrides: "names": { "${coordinate}": "…" }`;
      report.add(code, path ?? coordinate, reason);
    }
    let served = given.nameFor(coordinate, own, (wanted) => this.#names.has(wanted));
    const taker = this.#names.get(served) ?? null;
    if (taker !== null) {
      given.refuse(taker);
      served = this.#findFree(withValue(served), this.#names);
    }
    this.#names.set(served, served === own ? null : coordinate);
    return served;
  }

  /** Returns the name, or, if it is taken, the name with `_`, `__`, `___`, `_4`, `_5` and so on. */
  #findFree(name: string, taken: { has(name: string): boolean }): string {
    let count = this.#tried.get(name) ?? 0;
    let free = name;
    while (taken.has(free)) {
      count += 1;
      free = escapeName(name + (count > MAX_UNDERSCORES ? `_${count}` : '_'.repeat(count)));
    }
    this.#tried.set(name, count);
    return free;
  }
}
