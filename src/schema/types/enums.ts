// Creates an enum for each String parameter that describes a list of values.
import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { codeOf, describeValues, paragraphs } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { commonWordsOf } from '../names/naming.ts';
import { enumNameOf, nameEnum, nameShared } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { ofParameters } from '../origin.ts';
import {
  type Choices,
  collectChoices,
  describedValuesOf,
  nameChoices,
  renameChoices,
} from './enum-choices.ts';

/** If this many resources share an enum, the name of one of them would mislead. */
const MANY = 4;

/** An enum, and the upstream values that it can represent. */
interface ServedEnum {
  readonly ref: ReturnType<typeof createEnum>;
  readonly values: ReadonlySet<string>;
}

/** A parameter whose values are described. */
interface EnumSource {
  readonly resource: ResourceModel;
  readonly parameter: string;
  readonly choices: Choices;
}

/** The parameters of one enum. */
interface EnumGroup {
  readonly sources: readonly [EnumSource, ...EnumSource[]];
  /** The words that the names of all sources have in common; none for one source. */
  readonly words: readonly string[];
}

/** The enums of one schema. A String parameter becomes an enum if each of its values has a GraphQL name of its own. */
export class Enums {
  readonly #assembly: Assembly;
  readonly #enumOf = memo((group: EnumGroup) => this.#create(group));
  /** The groups by the places of their parameters. */
  readonly #groups: ReadonlyMap<string, EnumGroup>;
  /** The input parameters of a resource's writes that describe choices. */
  readonly #writtenIn = memo(({ writes }: ResourceModel) => {
    const inputs = writes.flatMap(({ input }) => input.parameters);
    return new Set(inputs.filter((one) => describedValuesOf(one) !== null).map(({ name }) => name));
  });

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#groups = groupParameters(assembly.model);
  }

  /** Returns the enum of an input parameter, or null if the parameter stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter): ServedEnum | null {
    return describedValuesOf(parameter) === null ? null : this.#findEnum(resource, parameter.name);
  }

  /**
   * Returns the enum of the input parameter with the same name, so that clients can write a value as they read it, or that of the
   * outputs where no input describes choices. Returns null if the values may differ: those that the output describes must be in the
   * enum. An output without choices must be a parameter of a write, because rows then contain the written values.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter): ServedEnum | null {
    if (parameter.type !== 'String' || (parameter.name === 'label' && resource.isReferenced)) return null;
    const described = describedValuesOf(parameter);
    if (described === null && !this.#writtenIn(resource).has(parameter.name)) return null;
    const served = this.#findEnum(resource, parameter.name);
    return described?.every(({ value }) => served?.values.has(String(value))) === false ? null : served;
  }

  #findEnum(resource: ResourceModel, parameter: string): ServedEnum | null {
    const group = this.#groups.get(placeOf({ resource, parameter }));
    return group === undefined ? null : this.#enumOf(group);
  }

  /**
   * Names an enum by the words that the names of all its parameters have in common, e.g. `ObjectState`. One word says too little: then
   * it is named after the first of them, or by the overrides.
   */
  #nameOf({ sources, words }: EnumGroup): string {
    const { overrides, report } = this.#assembly;
    const [first] = sources;
    const shared = words.length < 2 ? null : nameShared(this.#assembly, words.join(''));
    const name = shared ?? nameEnum(this.#assembly, first.resource, first.parameter);
    const isGiven = Object.values(overrides.names ?? {}).includes(name);
    if (words.length === 1 && sources.length >= MANY && !isGiven) {
      const reason = `${sources.length} resources share it, and it is named after one of them; choose another name in the overrides: "names": { "${name}": "…" }`;
      report.add('ENUM_NAME_UNCLEAR', name, reason);
    }
    return name;
  }

  /** The enum has the described choices and the values from the overrides. */
  #create(group: EnumGroup): ServedEnum {
    const { builder, overrides, report } = this.#assembly;
    const { choices: described, parameter } = group.sources[0];
    const name = this.#nameOf(group);
    const added = new Map(Object.entries(overrides.enumValues ?? {})).get(name) ?? [];
    const all = nameChoices([...described.values(), ...added.map((value) => ({ value, label: null }))]);
    if (all === null) {
      const reason = 'two values map to the same name; the values of the overrides are ignored';
      report.add('ENUM_VALUES_CLASH', `enumValues.${name}`, reason);
    }
    const valueNames = new UniqueNames(this.#assembly, fieldsOf(name));
    const renamed = renameChoices(all ?? described, parameter);
    const choices = new Map([...renamed].map(([own, choice]) => [valueNames.claim(own), choice]));
    return {
      ref: createEnum(builder, name, group.sources.map(placeOf), choices),
      values: new Set([...choices.values()].map(({ value }) => value)),
    };
  }
}

/** Groups the parameters with equal choices. Those come first whose name the enum has. */
function groupParameters(model: Model): ReadonlyMap<string, EnumGroup> {
  const found = new Map<string, [EnumSource, ...EnumSource[]]>();
  for (const resource of model.values())
    for (const [parameter, choices] of collectChoices(resource)) {
      const key = groupKeyOf(parameter, choices);
      const sources = found.get(key);
      if (sources === undefined) found.set(key, [{ resource, parameter, choices }]);
      else sources.push({ resource, parameter, choices });
    }
  const groups = new Map<string, EnumGroup>();
  const taken = new Set<string>();
  for (const sources of [...found.values()].sort((a, b) => b.length - a.length)) {
    sources.sort(compareSources);
    const nameOf = ({ resource, parameter }: EnumSource): string => enumNameOf(resource, parameter);
    const words = sources.length === 1 ? [] : commonWordsOf(sources.map(nameOf));
    // Of two groups with the same words, the larger one has them as its name.
    const group = { sources, words: taken.has(words.join('')) ? [] : words };
    for (const source of sources) groups.set(placeOf(source), group);
    taken.add(words.join(''));
  }
  return groups;
}

/** The dotted path of the resource with the name of the parameter. */
const placeOf = ({ resource, parameter }: Omit<EnumSource, 'choices'>): string =>
  `${pathKey(resource.path)}.${parameter}`;

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

function createEnum(builder: Builder, name: string, places: readonly string[], choices: Choices) {
  const values = [...choices].map(([name, { value, label }]) => {
    const nameless = value.toUpperCase() === name ? null : `${codeOf(value)} in the API.`;
    const text = label ?? nameless;
    return [name, { value, ...(text === null ? {} : { description: paragraphs([text]) }) }] as const;
  });
  return builder.enumType(name, {
    description: describeValues(places),
    values: Object.fromEntries(values),
    ...ofParameters(places),
  });
}
