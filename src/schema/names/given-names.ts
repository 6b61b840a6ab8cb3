// Gives elements of a schema the names that the overrides have for them.
import type { Report } from '../model/report.ts';

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

  /** Whether the name of a type comes from the overrides. */
  isGiven(name: string): boolean {
    return [...this.#used].some((coordinate) => this.#names.get(coordinate) === name);
  }

  /** Returns the name of an element. @param isTaken Whether a name is another element's, or cannot be an element's. */
  nameFor(coordinate: string, own: string, isTaken: (name: string) => boolean): string {
    const given = this.#names.get(coordinate);
    // What comes later may have a name that a renamed type has left.
    if (given === undefined || this.#used.has(coordinate)) return own;
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
