// Creates an enum for each String parameter that describes a list of values.
import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import { codeOf, describeValues, paragraphs } from '../descriptions/descriptions.ts';
import { groupBy, memo } from '../memo.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { choicesOf } from '../model/parameters.ts';
import { commonWordsOf, enumValueNameOf } from '../names/naming.ts';
import { enumNameOf, nameEnum, nameShared } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';

/** One value of a parameter. */
interface Choice {
  readonly value: string;
  readonly label: string | null;
}

/** Choices by the names of their enum values. */
type Choices = ReadonlyMap<string, Choice>;

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
    return new Set(inputs.filter((one) => choicesOf(one).length > 0).map(({ name }) => name));
  });

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#groups = groupParameters(assembly.model);
  }

  /** Returns the enum of an input parameter, or null if the parameter stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter) {
    return choicesOf(parameter).length === 0 ? null : this.#findEnum(resource, parameter.name);
  }

  /**
   * Returns the enum of the input parameter with the same name, so that clients can write a value as they read it, or that of the
   * outputs where no input describes choices. Returns null if the values may differ: those that the output describes must be in the
   * enum. An output without choices must be a parameter of a write, because rows then contain the written values.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter) {
    if (parameter.type !== 'String' || (parameter.name === 'label' && resource.isReferenced)) return null;
    const described = choicesOf(parameter);
    if (described.length === 0 && !this.#writtenIn(resource).has(parameter.name)) return null;
    const served = this.#findEnum(resource, parameter.name);
    return described.every(({ value }) => served?.values.has(String(value))) ? served : null;
  }

  #findEnum(resource: ResourceModel, parameter: string) {
    const group = this.#groups.get(placeOf({ resource, parameter }));
    return group === undefined ? null : this.#enumOf(group);
  }

  /**
   * Creates an enum with the described choices and the values from the overrides. It is named by the words that the names of all its
   * parameters have in common, e.g. `ObjectState`. One word says too little: then it is named after the first of them.
   */
  #create({ sources, words }: EnumGroup) {
    const { builder, overrides, report } = this.#assembly;
    const [{ resource, parameter, choices: described }] = sources;
    const shared = words.length < 2 ? null : nameShared(this.#assembly, words.join(''));
    const name = shared ?? nameEnum(this.#assembly, resource, parameter);
    const added = overrides.enumValues?.[name] ?? [];
    const all = nameChoices([...described.values(), ...added.map((value) => ({ value, label: null }))]);
    if (all === null) {
      const reason = 'two values map to the same name; the values of the overrides are ignored';
      report.add('ENUM_VALUES_CLASH', `enumValues.${name}`, reason);
    }
    const valueNames = new UniqueNames(this.#assembly, fieldsOf(name));
    const values = [...renameChoices(all ?? described, parameter)].map(([own, { value, label }]) => {
      const valueName = valueNames.claim(own);
      const text = label ?? (value.toUpperCase() === valueName ? null : `${codeOf(value)} in the API.`);
      return [valueName, { value, ...(text === null ? {} : { description: paragraphs([text]) }) }] as const;
    });
    const places = sources.map(placeOf);
    const ref = builder.enumType(name, {
      description: describeValues(places),
      values: Object.fromEntries(values),
      extensions: { places },
    });
    return { ref, values: new Set(values.map(([, { value }]) => value)) };
  }
}

/** Groups the parameters with equal choices. Those come first whose name the enum has. */
function groupParameters(model: Model): ReadonlyMap<string, EnumGroup> {
  const all = [...model.values()].flatMap((resource) =>
    [...collectChoices(resource)].map(([parameter, choices]) => ({ resource, parameter, choices })),
  );
  const found = groupBy(all, ({ parameter, choices }) => groupKeyOf(parameter, choices));
  const groups = new Map<string, EnumGroup>();
  const nameOf = ({ resource, parameter }: EnumSource): string => enumNameOf(resource, parameter);
  const taken = new Set(all.map(nameOf));
  for (const sources of [...found.values()].sort((a, b) => b.length - a.length)) {
    sources.sort(compareSources);
    const words = sources.length === 1 ? [] : commonWordsOf(sources.map(nameOf));
    // A resource's own enum keeps its name. Of two groups with the same words, the larger one has them as its name.
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
  const nameOf = ({ resource, parameter }: EnumSource): string => `${resource.typeName} ${parameter}`;
  const [name, otherName] = [nameOf(one), nameOf(other)];
  return name.length - otherName.length || (name < otherName ? -1 : 1);
}

/**
 * Returns the choices of a String parameter with their explanations. The protocol's own parameters explain their values line by line:
 * `fixed - the token cannot be renewed`.
 */
function explainedChoicesOf(parameter: Parameter): readonly Choice[] {
  const lines = (parameter.description ?? '').matchAll(/^(\S+) - (.*\S)/gm);
  const explained = new Map([...lines].map(([, value = '', text = '']) => [value, text]));
  return choicesOf(parameter).map(({ value, label }) => ({
    value: String(value),
    label: label ?? explained.get(String(value)) ?? null,
  }));
}

/**
 * Returns the choices of each parameter of a resource that does not stay a scalar: those of its inputs, with those of outputs that share
 * one with them; or those of its outputs. All are collected at once, because looking for those of each field takes quadratic time.
 */
function collectChoices({ actions }: ResourceModel): ReadonlyMap<string, Choices> {
  const inputs = choicesByName(actions.flatMap(({ input }) => input.parameters));
  const outputs = choicesByName(actions.flatMap(({ output }) => output.parameters));
  const found = new Map<string, Choices>();
  for (const name of new Set([...inputs.keys(), ...outputs.keys()])) {
    const ofOutputs = (outputs.get(name) ?? []).map(explainedChoicesOf);
    const ofInputs = inputs.get(name)?.map(explainedChoicesOf);
    const named = nameChoices((ofInputs ?? ofOutputs).flat());
    if (named === null) continue;
    const values = new Set([...named.values()].map(({ value }) => value));
    const same = ofOutputs.filter((choices) => choices.some(({ value }) => values.has(value)));
    found.set(name, nameChoices([...named.values(), ...same.flat()]) ?? named);
  }
  return found;
}

const choicesByName = (parameters: readonly Parameter[]) =>
  groupBy(
    parameters.filter((one) => choicesOf(one).length > 0),
    ({ name }) => name,
  );

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

/** Returns the choices by names for readers: without a word that says nothing, and never beginning with a digit. */
function renameChoices(choices: Choices, parameter: string): Choices {
  const words = parameter.toUpperCase().match(/[A-Z0-9]+/g) ?? [];
  const short = withoutRepeatedWords([...choices.keys()], words);
  const names = short.map((name) => (/^_\d/.test(name) ? `${words.at(-1)}${name}` : name));
  if (names.some((name) => !/^[A-Z_]/.test(name)) || new Set(names).size < choices.size) return choices;
  return new Map([...choices.values()].map((choice, index) => [names[index] ?? '', choice]));
}

/**
 * Removes the word from the names of values that the parameter's name contains, if all begin or end with it: `LARGE_SIZE` of
 * `paper_size`, `PAPER_A4` of `paper_format`.
 */
function withoutRepeatedWords(names: readonly string[], words: readonly string[]): readonly string[] {
  for (const pattern of words.flatMap((word) => [new RegExp(`_${word}$`), new RegExp(`^${word}_`)])) {
    const short = names.map((name) => name.replace(pattern, ''));
    const areNames = short.every((name, index) => /^[A-Z]/.test(name) && name !== names[index]);
    if (areNames && new Set(short).size === names.length) return short;
  }
  return names;
}
