import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Builder } from '../builder.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Overrides } from '../model/overrides.ts';
import type { Report } from '../model/report.ts';
import { enumValueNameOf } from '../names/naming.ts';
import type { TypeNames } from '../names/type-names.ts';

/** A value that a parameter may have. */
interface Choice {
  readonly value: string;
  readonly label: string | null;
}

/** Choices by the names that they have in GraphQL. */
type Choices = ReadonlyMap<string, Choice>;

type EnumRef = ReturnType<typeof createEnum>;

/** An enum, and the upstream's values that it has names for. */
export interface ServedEnum {
  readonly ref: EnumRef;
  readonly values: ReadonlySet<string>;
}

/** What enums are made from. */
interface EnumsOptions {
  readonly builder: Builder;
  readonly names: TypeNames;
  readonly overrides: Overrides;
  readonly report: Report;
}

/** The enums of one schema: the String parameters of a resource whose choices map one to one to names. */
export class Enums {
  readonly #options: EnumsOptions;
  readonly #enums = new Map<string, ServedEnum | null>();

  constructor(options: EnumsOptions) {
    this.#options = options;
  }

  /** The enum of an input parameter; null where it stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter): ServedEnum | null {
    return choicesOf(parameter) === null ? null : this.#of(resource, parameter.name);
  }

  /**
   * The enum of the input parameter that has the name of an output parameter, so that a value can be written back as it is read;
   * null where the values may differ. An output that describes choices must share one with the input. An output that describes
   * none must be the parameter of a write, since rows then hold what was written.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter): ServedEnum | null {
    if (parameter.type !== 'String' || (parameter.name === 'label' && resource.isReferred)) return null;
    const own = choicesOf(parameter);
    const isSame =
      own === null ? isWritten(resource, parameter.name) : meet(own, inputChoices(resource, parameter.name));
    const served = isSame ? this.#of(resource, parameter.name) : null;
    return own?.every(({ value }) => served?.values.has(value)) === false ? null : served;
  }

  #of(resource: ResourceModel, parameter: string): ServedEnum | null {
    const key = `${resource.typeName}.${parameter}`;
    let served = this.#enums.get(key);
    if (served === undefined) {
      const inputs = nameChoices(inputChoices(resource, parameter));
      served = inputs === null ? null : this.#create(resource, parameter, inputs);
      this.#enums.set(key, served);
    }
    return served;
  }

  /** Holds the choices of every action of the resource, and those that the overrides add. */
  #create(resource: ResourceModel, parameter: string, inputs: Choices): ServedEnum {
    const { builder, names, overrides, report } = this.#options;
    const name = names.claim(resource, parameter);
    const outputs = outputChoices(resource, parameter).filter((choices) =>
      meet(choices, [...inputs.values()]),
    );
    const described = nameChoices([...inputs.values(), ...outputs.flat()]) ?? inputs;
    const { enumValues = {} } = overrides;
    const added = Object.hasOwn(enumValues, name) ? (enumValues[name] ?? []) : [];
    const all = nameChoices([...described.values(), ...added.map((value) => ({ value, label: null }))]);
    if (all === null)
      report.add('ENUM_VALUES_CLASH', `enumValues.${name}`, 'two values would have one name; not added');
    const choices = all ?? described;
    return {
      ref: createEnum(builder, name, choices),
      values: new Set([...choices.values()].map(({ value }) => value)),
    };
  }
}

function createEnum(builder: Builder, name: string, choices: Choices) {
  const values = [...choices].map(
    ([name, { value, label }]) => [name, label === null ? { value } : { value, description: label }] as const,
  );
  return builder.enumType(name, { values: Object.fromEntries(values) });
}

/** The choices that a parameter describes; null for none, or another type than String. */
function choicesOf(parameter: Parameter): readonly Choice[] | null {
  if (parameter.type !== 'String' || parameter.validators.include === undefined) return null;
  return parameter.validators.include.values.map(({ value, label }) => ({ value: String(value), label }));
}

function inputChoices({ actions }: ResourceModel, name: string): readonly Choice[] {
  return actions.flatMap(({ input }) => choicesOfNamed(input.parameters, name)).flat();
}

function outputChoices({ actions }: ResourceModel, name: string): readonly (readonly Choice[])[] {
  return actions.flatMap(({ output }) => choicesOfNamed(output.parameters, name));
}

function choicesOfNamed(parameters: readonly Parameter[], name: string): (readonly Choice[])[] {
  const choices = parameters.filter((parameter) => parameter.name === name).map(choicesOf);
  return choices.filter((own) => own !== null);
}

const meet = (some: readonly Choice[], others: readonly Choice[]): boolean =>
  some.some(({ value }) => others.some((other) => other.value === value));

/** Whether a write takes a parameter, and describes its choices. */
function isWritten({ actions, reads }: ResourceModel, name: string): boolean {
  return actions.some(
    (action) => !reads.includes(action) && choicesOfNamed(action.input.parameters, name).length > 0,
  );
}

/** Choices by name; null where two would have one name, one has none, or there are none. */
function nameChoices(choices: readonly Choice[]): Choices | null {
  const byName = new Map<string, Choice>();
  for (const { value, label } of choices) {
    const name = enumValueNameOf(value);
    const known = name === null ? undefined : byName.get(name);
    if (name === null || (known !== undefined && known.value !== value)) return null;
    byName.set(name, { value, label: known?.label ?? label });
  }
  return byName.size === 0 ? null : byName;
}
