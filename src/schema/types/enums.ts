// Creates an enum for each String parameter that describes a list of values.

import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { forOperator } from '../model/operator-plan.ts';
import { enumValueNameOf } from '../names/naming.ts';
import { paragraphs } from './descriptions.ts';

/** One value of a parameter. */
interface Choice {
  readonly value: string;
  readonly label: string | null;
}

/** Choices by the names of their enum values. */
type Choices = ReadonlyMap<string, Choice>;

/** The described choices of a resource's parameters, by the names of the parameters. */
interface ResourceChoices {
  readonly inputs: ReadonlyMap<string, readonly Choice[]>;
  readonly inputValues: ReadonlyMap<string, ReadonlySet<string>>;
  readonly outputs: ReadonlyMap<string, readonly (readonly Choice[])[]>;
  /** Names of the input parameters of writes. */
  readonly written: ReadonlySet<string>;
}

type EnumRef = ReturnType<typeof createEnum>;

/** An enum, and the upstream values that it can represent. */
export interface ServedEnum {
  readonly ref: EnumRef;
  readonly values: ReadonlySet<string>;
}

type EnumAssembly = Pick<Assembly, 'builder' | 'names' | 'operator' | 'overrides' | 'report'>;

/**
 * The enums of one schema. A String parameter becomes an enum if each of its values has a GraphQL name of its own. The operator's
 * description decides, because a caller may see an output without the input that lists its values.
 */
export class Enums {
  readonly #assembly: EnumAssembly;
  readonly #enums = new Map<string, ServedEnum | null>();
  readonly #choices = new Map<ResourceModel, ResourceChoices>();

  constructor(assembly: EnumAssembly) {
    this.#assembly = assembly;
  }

  /** Returns the enum of an input parameter, or null if the parameter stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter): ServedEnum | null {
    return choicesOf(parameter) === null ? null : this.#enumFor(resource, parameter.name);
  }

  /**
   * Returns the enum of the input parameter with the same name, so that clients can write a value as they read it.
   * Returns null if the values may differ. An output that describes choices must share at least one with the input.
   * An output without choices must be a parameter of a write, because rows then contain the written values.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter): ServedEnum | null {
    if (parameter.type !== 'String') return null;
    if (parameter.name === 'label' && forOperator(this.#assembly.operator, resource)?.isReferenced)
      return null;
    const outputChoices = choicesOf(parameter);
    const { written, inputValues } = this.#choicesOf(resource);
    const isSame =
      outputChoices === null
        ? written.has(parameter.name)
        : haveCommonValue(outputChoices, inputValues.get(parameter.name));
    const served = isSame ? this.#enumFor(resource, parameter.name) : null;
    return outputChoices?.every(({ value }) => served?.values.has(value)) === false ? null : served;
  }

  #choicesOf(resource: ResourceModel): ResourceChoices {
    let choices = this.#choices.get(resource);
    if (choices === undefined) {
      choices = collectChoices(forOperator(this.#assembly.operator, resource));
      this.#choices.set(resource, choices);
    }
    return choices;
  }

  #enumFor(resource: ResourceModel, parameter: string): ServedEnum | null {
    const key = `${resource.typeName}.${parameter}`;
    let served = this.#enums.get(key);
    if (served === undefined) {
      const inputs = nameChoices(this.#choicesOf(resource).inputs.get(parameter) ?? []);
      served = inputs === null ? null : this.#create(resource, parameter, inputs);
      this.#enums.set(key, served);
    }
    return served;
  }

  /** The enum has the choices of all actions of the resource and the values from the overrides. */
  #create(resource: ResourceModel, parameter: string, inputs: Choices): ServedEnum {
    const { builder, names, overrides, report } = this.#assembly;
    const name = names.nameFor(resource, 'enum', parameter);
    const inputValues = new Set([...inputs.values()].map(({ value }) => value));
    const outputs = (this.#choicesOf(resource).outputs.get(parameter) ?? []).filter((choices) =>
      haveCommonValue(choices, inputValues),
    );
    const described = nameChoices([...inputs.values(), ...outputs.flat()]) ?? inputs;
    const { enumValues = {} } = overrides;
    const added = Object.hasOwn(enumValues, name) ? (enumValues[name] ?? []) : [];
    const all = nameChoices([...described.values(), ...added.map((value) => ({ value, label: null }))]);
    if (all === null) {
      report.add(
        'ENUM_VALUES_CLASH',
        `enumValues.${name}`,
        'two values map to the same name; the values of the overrides are ignored',
      );
    }
    const choices = all ?? described;
    return {
      ref: createEnum(builder, name, `${pathKey(resource.path)}.${parameter}`, choices),
      values: new Set([...choices.values()].map(({ value }) => value)),
    };
  }
}

function createEnum(builder: Builder, name: string, source: string, choices: Choices) {
  const values = [...choices].map(
    ([name, { value, label }]) =>
      [name, { value, description: paragraphs([label ?? `\`${value}\` in the API.`]) }] as const,
  );
  const description = `The values of \`${source}\` that the API describes.`;
  return builder.enumType(name, { description, values: Object.fromEntries(values) });
}

/** Returns the described choices of a String parameter, or null if it has none. */
function choicesOf(parameter: Parameter): readonly Choice[] | null {
  if (parameter.type !== 'String' || parameter.validators.include === undefined) return null;
  const explained = explanationsIn(parameter.description ?? '');
  return parameter.validators.include.values.flatMap(({ value, label }) => [
    { value: String(value), label: label ?? explained.get(String(value)) ?? null },
  ]);
}

/** The protocol's own parameters explain their values line by line: `fixed - the token cannot be renewed`. */
const explanationsIn = (description: string): ReadonlyMap<string, string> =>
  new Map([...description.matchAll(/^(\S+) - (.*\S)/gm)].map(([, value = '', text = '']) => [value, text]));

/** Collects all described choices at once, because looking for those of each field takes quadratic time. */
function collectChoices(resource: ResourceModel | null): ResourceChoices {
  const { actions, writes } = resource ?? { actions: [], writes: [] };
  const inputs = new Map<string, Choice[]>();
  const outputs = new Map<string, (readonly Choice[])[]>();
  for (const { input, output } of actions) {
    for (const [name, choices] of choicesIn(input.parameters)) {
      const known = inputs.get(name) ?? [];
      for (const choice of choices) known.push(choice);
      inputs.set(name, known);
    }
    for (const [name, choices] of choicesIn(output.parameters)) {
      const known = outputs.get(name) ?? [];
      known.push(choices);
      outputs.set(name, known);
    }
  }
  const valuesOf = (choices: readonly Choice[]) => new Set(choices.map(({ value }) => value));
  return {
    inputs,
    inputValues: new Map([...inputs].map(([name, choices]) => [name, valuesOf(choices)])),
    outputs,
    written: new Set(writes.flatMap(({ input }) => choicesIn(input.parameters).map(([name]) => name))),
  };
}

function choicesIn(parameters: readonly Parameter[]): (readonly [string, readonly Choice[]])[] {
  return parameters.flatMap((parameter) => {
    const choices = choicesOf(parameter);
    return choices === null ? [] : [[parameter.name, choices] as const];
  });
}

const haveCommonValue = (choices: readonly Choice[], values: ReadonlySet<string> | undefined): boolean =>
  choices.some(({ value }) => values?.has(value));

/** Maps names to choices. Returns null if there are no choices, one has no name, or two have the same name. */
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
