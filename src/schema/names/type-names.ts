import type { Model, ResourceModel } from '../model/model.ts';
import type { Report } from '../model/report.ts';
import { avoidReserved, fieldNameOf, type ReservedNames } from './naming.ts';

/** Hands out the names of types that are derived from a resource's: each once, none that a resource has. */
export class TypeNames {
  /** Who has each name: the dotted path of a resource. */
  readonly #taken: Map<string, string>;
  readonly #reserved: ReservedNames;
  readonly #report: Report;

  constructor(model: Model, reserved: ReservedNames, report: Report) {
    this.#taken = new Map([...model].map(([path, { typeName }]) => [typeName, path]));
    this.#reserved = reserved;
    this.#report = report;
  }

  /** `<Type><Part>`, e.g. `BookBinding`; where that is taken, `<Type>_<Part>`, and the report says so. The facade's own get `Resource`. */
  claim(resource: ResourceModel, part: string): string {
    const suffix = fieldNameOf(part);
    const capital = suffix.charAt(0).toUpperCase() + suffix.slice(1);
    const plain = avoidReserved(`${resource.typeName}${capital}`, this.#reserved);
    let name = plain;
    const path = resource.path.join('.');
    const owner = this.#taken.get(name);
    if (owner !== undefined) {
      name = `${resource.typeName}_${capital}`;
      while (this.#taken.has(name)) name += '_';
      // Both names of one resource change with its type's.
      const cure = owner === path ? '' : `; settle it in the overrides: "typeNames": { "${owner}": "…" }`;
      this.#report.add(
        'TYPE_NAME_CLASH',
        `${path} ${part}`,
        `it falls on the type name ${plain} of ${owner} and is called ${name}${cure}`,
      );
    }
    this.#taken.set(name, path);
    return name;
  }
}
