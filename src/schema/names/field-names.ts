import type { Report } from '../model/report.ts';

/** Hands out the field names of one type, in order of precedence. */
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

  /** The name; where it is taken, with `_` behind it, and the report says so. */
  claim(name: string, path: string): string {
    let free = name;
    while (this.#taken.has(free)) free += '_';
    if (free !== name) {
      this.#report.add('FIELD_NAME_CLASH', path, `${this.#typeName}.${name} is taken; it is called ${free}`);
    }
    this.#taken.add(free);
    return free;
  }
}
