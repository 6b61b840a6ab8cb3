import type { Action, ValueParameter } from '../upstream/description.ts';
import type { Builder } from './builder.ts';
import type { ResourceModel } from './model.ts';
import { enumValueNameOf } from './naming.ts';
import type { TypeNames } from './type-names.ts';

/** Values of an enum by name, with their labels. */
type EnumValues = Record<string, { readonly value: string; readonly description?: string }>;

type EnumRef = ReturnType<typeof createEnum>;

/** The enums of one schema: String inputs with a closed set of values whose names are told apart. */
export class Enums {
  readonly #builder: Builder;
  readonly #names: TypeNames;
  readonly #refs = new Map<string, EnumRef | null>();

  constructor(builder: Builder, names: TypeNames) {
    this.#builder = builder;
    this.#names = names;
  }

  /** The enum of an input parameter, holding the value sets of all actions of the resource; null where it stays a scalar. */
  of(resource: ResourceModel, parameter: ValueParameter): EnumRef | null {
    if (parameter.type !== 'String' || parameter.validators.include === undefined) return null;
    const key = `${resource.typeName}.${parameter.name}`;
    let ref = this.#refs.get(key);
    if (ref === undefined) {
      const values = enumValues(resource.actions, parameter);
      ref =
        values === null
          ? null
          : createEnum(this.#builder, this.#names.claim(resource, parameter.name), values);
      this.#refs.set(key, ref);
    }
    return ref;
  }
}

function createEnum(builder: Builder, name: string, values: EnumValues) {
  return builder.enumType(name, { values });
}

function enumValues(actions: readonly Action[], own: ValueParameter): EnumValues | null {
  const sets = [own, ...actions.flatMap((action) => action.input.parameters)].flatMap((parameter) =>
    parameter.type === 'String' && parameter.name === own.name && parameter.validators.include !== undefined
      ? [parameter.validators.include.values]
      : [],
  );
  const byName = new Map<string, { readonly value: string; readonly label: string | null }>();
  for (const { value: raw, label } of sets.flat()) {
    const value = String(raw);
    const name = enumValueNameOf(value);
    const known = name === null ? undefined : byName.get(name);
    if (name === null || (known !== undefined && known.value !== value)) return null;
    byName.set(name, { value, label: known?.label ?? label });
  }
  if (byName.size === 0) return null;
  return Object.fromEntries(
    [...byName].map(([name, { value, label }]) => [
      name,
      label === null ? { value } : { value, description: label },
    ]),
  );
}
