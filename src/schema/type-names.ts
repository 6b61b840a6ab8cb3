import type { Model, ResourceModel } from './model.ts';
import { fieldNameOf } from './naming.ts';
import type { Report } from './report.ts';

/** Hands out the names of types that are derived from a resource's: each once, none that a resource has. */
export class TypeNames {
  readonly #taken: Set<string>;
  readonly #report: Report;

  constructor(model: Model, report: Report) {
    this.#taken = new Set([...model.values()].map((resource) => resource.typeName));
    this.#report = report;
  }

  /** `<Type><Part>`, e.g. `BookBinding`; where that is taken, `<Type>_<Part>`, and the report says so. */
  claim(resource: ResourceModel, part: string): string {
    const suffix = fieldNameOf(part);
    const capital = suffix.charAt(0).toUpperCase() + suffix.slice(1);
    const plain = `${resource.typeName}${capital}`;
    let name = plain;
    if (this.#taken.has(name)) {
      name = `${resource.typeName}_${capital}`;
      while (this.#taken.has(name)) name += '_';
      this.#report.add(
        'TYPE_NAME_CLASH',
        `${resource.path.join('.')} ${part}`,
        `the type name ${plain} is taken; it is called ${name}`,
      );
    }
    this.#taken.add(name);
    return name;
  }
}
