// Assigns unique names to types that belong to a resource.

import type { Model, ResourceModel } from '../model/model.ts';
import type { Report } from '../model/report.ts';
import { avoidReserved, fieldNameOf, type ReservedNames } from './naming.ts';

/** Assigns names to types that are derived from a resource, e.g. its connection. Each name is assigned once. */
export class TypeNames {
  /** The dotted path of the resource to which each name is assigned. */
  readonly #taken: Map<string, string>;
  readonly #reserved: ReservedNames;
  readonly #report: Report;

  constructor(model: Model, reserved: ReservedNames, report: Report) {
    this.#taken = new Map([...model].map(([path, { typeName }]) => [typeName, path]));
    this.#reserved = reserved;
    this.#report = report;
  }

  /**
   * Returns `<Type><Part>`, e.g. `BookBinding`. If the name is taken, returns `<Type>_<Part>` and adds a finding.
   * If the name is reserved, appends `Resource`.
   */
  claim(resource: ResourceModel, part: string): string {
    const suffix = fieldNameOf(part);
    const capital = suffix.charAt(0).toUpperCase() + suffix.slice(1);
    const ownName = avoidReserved(`${resource.typeName}${capital}`, this.#reserved);
    let name = ownName;
    const path = resource.path.join('.');
    const owner = this.#taken.get(name);
    if (owner !== undefined) {
      name = `${resource.typeName}_${capital}`;
      while (this.#taken.has(name)) name += '_';
      // If one resource has both names, another type name changes both.
      const advice =
        owner === path ? '' : `; choose another name in the overrides: "typeNames": { "${owner}": "…" }`;
      this.#report.add(
        'TYPE_NAME_CLASH',
        `${path} ${part}`,
        `its type name ${ownName} is already used by ${owner}; the type is named ${name}${advice}`,
      );
    }
    this.#taken.set(name, path);
    return name;
  }
}
