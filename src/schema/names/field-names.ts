// Assigns unique field names within one type.

import type { Report } from '../model/report.ts';

/** Assigns the field names of one type. The first claim of a name gets it. */
export class FieldNames {
  readonly #taken = new Set<string>();
  readonly #typeName: string;
  readonly #report: Report;

  constructor(typeName: string, report: Report) {
    this.#typeName = typeName;
    this.#report = report;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Returns the name, or, if it is taken, the name with `_` appended; then adds a finding. */
  claim(name: string, path: string): string {
    let free = name;
    while (this.#taken.has(free)) free += '_';
    if (free !== name) {
      this.#report.add(
        'FIELD_NAME_CLASH',
        path,
        `${this.#typeName}.${name} is taken; the field is named ${free}`,
      );
    }
    this.#taken.add(free);
    return free;
  }
}
