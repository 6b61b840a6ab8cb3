// Creates an enum for each String parameter that describes a list of values.

import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { paragraphs } from '../descriptions/descriptions.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { forOperator } from '../model/operator-plan.ts';
import { plainTypeNameOf } from '../names/naming.ts';
import {
  type Choice,
  type Choices,
  choicesOf,
  collectChoices,
  haveCommonValue,
  nameChoices,
  type ResourceChoices,
  withoutRepeatedWords,
} from './enum-choices.ts';

type EnumRef = ReturnType<typeof createEnum>;

/** An enum, and the upstream values that it can represent. */
export interface ServedEnum {
  readonly ref: EnumRef;
  readonly values: ReadonlySet<string>;
}

type EnumAssembly = Pick<
  Assembly,
  'builder' | 'model' | 'names' | 'operator' | 'overrides' | 'report' | 'reserved'
>;

/**
 * The enums of one schema. A String parameter becomes an enum if each of its values has a GraphQL name of its own. The operator's
 * description decides, because a caller may see an output without the input that lists its values.
 */
export class Enums {
  readonly #assembly: EnumAssembly;
  readonly #enums = new Map<string, ServedEnum | null>();
  readonly #choices = new Map<ResourceModel, ResourceChoices>();
  #grouped: ReadonlyMap<string, readonly EnumSource[]> | null = null;

  constructor(assembly: EnumAssembly) {
    this.#assembly = assembly;
  }

  /** Returns the enum of an input parameter, or null if the parameter stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter): ServedEnum | null {
    return choicesOf(parameter) === null ? null : this.#enumFor(resource, parameter.name);
  }

  /**
   * Returns the enum of the input parameter with the same name, so that clients can write a value as they read it, or that of the
   * outputs where no input describes choices.
   * Returns null if the values may differ. An output that describes choices must share at least one with such an input.
   * An output without choices must be a parameter of a write, because rows then contain the written values.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter): ServedEnum | null {
    if (parameter.type !== 'String') return null;
    if (parameter.name === 'label' && forOperator(this.#assembly.operator, resource)?.isReferenced)
      return null;
    const outputChoices = choicesOf(parameter);
    const { written, inputValues } = this.#choicesOf(resource);
    const ofInputs = inputValues.get(parameter.name);
    const isSame =
      outputChoices === null
        ? written.has(parameter.name)
        : ofInputs === undefined || haveCommonValue(outputChoices, ofInputs);
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
    const choices = this.#choicesFor(resource, parameter);
    if (choices === null) return null;
    const group = this.#groups().get(groupKeyOf(parameter, choices)) ?? [{ resource, parameter }];
    const [{ resource: owner, parameter: name } = { resource, parameter }] = group;
    const key = `${owner.typeName}.${name}`;
    let served = this.#enums.get(key);
    if (served === undefined) {
      served = this.#create(group, this.#choicesFor(owner, name) ?? choices);
      this.#enums.set(key, served);
    }
    return served;
  }

  /** The choices of all actions of a resource; null if the parameter stays a scalar. */
  #choicesFor(resource: ResourceModel, parameter: string): Choices | null {
    const { inputs, outputs } = this.#choicesOf(resource);
    const named = nameChoices(inputs.get(parameter) ?? outputs.get(parameter)?.flat() ?? []);
    if (named === null) return null;
    const values = new Set([...named.values()].map(({ value }) => value));
    const same = (outputs.get(parameter) ?? []).filter((choices) => haveCommonValue(choices, values));
    return nameChoices([...named.values(), ...same.flat()]) ?? named;
  }

  /** The parameters of the operator's description with equal choices, those first whose name the enum has. */
  #groups(): ReadonlyMap<string, readonly EnumSource[]> {
    if (this.#grouped !== null) return this.#grouped;
    const groups = new Map<string, EnumSource[]>();
    for (const resource of this.#assembly.operator.model.values())
      for (const parameter of parametersOf(this.#choicesOf(resource))) {
        const choices = this.#choicesFor(resource, parameter);
        if (choices === null) continue;
        const key = groupKeyOf(parameter, choices);
        groups.set(key, [...(groups.get(key) ?? []), { resource, parameter }]);
      }
    for (const group of groups.values()) group.sort(compareSources);
    this.#grouped = groups;
    return groups;
  }

  /**
   * Names the enum of a parameter that resources share: by what their paths end with, e.g. `CameraType`; else, where the parameter says
   * enough by itself, by that, e.g. `ObjectState`.
   */
  #sharedNameOf(sources: readonly EnumSource[]): string | null {
    const { names, reserved } = this.#assembly;
    const [one] = sources;
    const isShared = sources.some(
      ({ resource }) => !resource.typeName.startsWith(one?.resource.typeName ?? ''),
    );
    if (one === undefined || !isShared || sources.some(({ parameter }) => parameter !== one.parameter))
      return null;
    const others = [...this.#groups().values()].filter(
      (group) => group !== sources && group.every(({ parameter }) => parameter === one.parameter),
    );
    const isLargest = others.every(({ length }) => length < sources.length);
    const end = one.resource.path.at(-1) ?? '';
    if (sources.every(({ resource }) => resource.path.at(-1) === end))
      return names.sharedName(plainTypeNameOf([end, one.parameter]), reserved);
    return isLargest && /[a-z]_[a-z]/.test(one.parameter)
      ? names.sharedName(plainTypeNameOf([one.parameter]), reserved)
      : null;
  }

  /** The labels of values in the caller's own description, which may be in another language than the operator's. */
  #ownLabelsOf(sources: readonly EnumSource[]): ReadonlyMap<string, string> {
    const { model } = this.#assembly;
    const labels = new Map<string, string>();
    for (const { resource, parameter } of sources) {
      const own = model.get(pathKey(resource.path));
      if (own === undefined || own === resource) continue;
      const { inputs, outputs } = collectChoices(own);
      for (const { value, label } of [
        ...(inputs.get(parameter) ?? []),
        ...(outputs.get(parameter) ?? []).flat(),
      ])
        if (label !== null && !labels.has(value)) labels.set(value, label);
    }
    return labels;
  }

  /** The enum has the described choices and the values from the overrides. */
  #create(sources: readonly EnumSource[], described: Choices): ServedEnum | null {
    const { builder, names, overrides, report } = this.#assembly;
    const [first] = sources;
    if (first === undefined) return null;
    const name = this.#sharedNameOf(sources) ?? names.nameFor(first.resource, 'enum', first.parameter);
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
    const choices = withoutRepeatedWords(all ?? described, first.parameter);
    const labels = this.#ownLabelsOf(sources);
    const texts = sources.map(({ resource, parameter }) => `\`${pathKey(resource.path)}.${parameter}\``);
    return {
      ref: createEnum(builder, name, texts.join(', '), choices, labels),
      values: new Set([...choices.values()].map(({ value }) => value)),
    };
  }
}

/** A parameter whose values are described. */
interface EnumSource {
  readonly resource: ResourceModel;
  readonly parameter: string;
}

const parametersOf = ({ inputs, outputs }: ResourceChoices): ReadonlySet<string> =>
  new Set([...inputs.keys(), ...outputs.keys()]);

/** Equal choices are one enum if the parameters' names end with the same word. */
const groupKeyOf = (parameter: string, choices: Choices): string =>
  JSON.stringify([parameter.split('_').at(-1), [...choices.values()].map(({ value }) => value)]);

/** The shortest name first, so that a resource comes before those whose names begin with its name. */
function compareSources(one: EnumSource, other: EnumSource): number {
  const [name, otherName] = [one, other].map(
    ({ resource, parameter }) => `${resource.typeName} ${parameter}`,
  );
  if (name === undefined || otherName === undefined) return 0;
  return name.length - otherName.length || (name < otherName ? -1 : 1);
}

function createEnum(
  builder: Builder,
  name: string,
  source: string,
  choices: Choices,
  labels: ReadonlyMap<string, string>,
) {
  const describe = ({ value, label }: Choice): string =>
    paragraphs([labels.get(value) ?? label ?? `\`${value}\` in the API.`]);
  const values = [...choices].map(
    ([name, choice]) => [name, { value: choice.value, description: describe(choice) }] as const,
  );
  const description = `The values of ${source} that the API describes.`;
  return builder.enumType(name, { description, values: Object.fromEntries(values) });
}
