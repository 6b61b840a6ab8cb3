// Creates an enum for each String parameter that describes a list of values.
import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { codeOf, describeValues, paragraphs } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { FieldNames } from '../names/field-names.ts';
import { commonWordsOf } from '../names/naming.ts';
import { enumNameOf } from '../names/type-names.ts';
import { ofParameters } from '../origin.ts';
import {
  type Choices,
  collectChoices,
  describedValuesOf,
  nameChoices,
  type ResourceChoices,
  renameChoices,
} from './enum-choices.ts';

/** If this many resources share an enum, the name of one of them would mislead. */
const MANY = 4;

type EnumRef = ReturnType<typeof createEnum>;

/** An enum, and the upstream values that it can represent. */
export interface ServedEnum {
  readonly ref: EnumRef;
  readonly values: ReadonlySet<string>;
}

/** The enums of one schema. A String parameter becomes an enum if each of its values has a GraphQL name of its own. */
export class Enums {
  readonly #assembly: Assembly;
  readonly #choicesOf = memo(collectChoices);
  readonly #enumOf = memo((group: EnumGroup) => this.#create(group));
  /** The groups by the places of their parameters. */
  #groups: ReadonlyMap<string, EnumGroup> | null = null;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /** Returns the enum of an input parameter, or null if the parameter stays a scalar. */
  enumForInput(resource: ResourceModel, parameter: ValueParameter): ServedEnum | null {
    return describedValuesOf(parameter) === null ? null : this.#findEnum(resource, parameter.name);
  }

  /**
   * Returns the enum of the input parameter with the same name, so that clients can write a value as they read it, or that of the
   * outputs where no input describes choices.
   * Returns null if the values may differ. An output that describes choices must share at least one with such an input.
   * An output without choices must be a parameter of a write, because rows then contain the written values.
   */
  enumForOutput(resource: ResourceModel, parameter: Parameter): ServedEnum | null {
    if (parameter.type !== 'String') return null;
    if (parameter.name === 'label' && resource.isReferenced) return null;
    const described = describedValuesOf(parameter)?.map(({ value }) => String(value));
    const { written, inputValues } = this.#choicesOf(resource);
    const ofInputs = inputValues.get(parameter.name);
    const isSame =
      described === undefined
        ? written.has(parameter.name)
        : ofInputs === undefined || described.some((value) => ofInputs.has(value));
    const served = isSame ? this.#findEnum(resource, parameter.name) : null;
    return described?.every((value) => served?.values.has(value)) === false ? null : served;
  }

  #findEnum(resource: ResourceModel, parameter: string): ServedEnum | null {
    this.#groups ??= this.#groupAll();
    const group = this.#groups.get(placeOf({ resource, parameter }));
    return group === undefined ? null : this.#enumOf(group);
  }

  /** The parameters with equal choices, those first whose name the enum has. */
  #groupAll(): ReadonlyMap<string, EnumGroup> {
    const found = new Map<string, EnumSource[]>();
    for (const resource of this.#assembly.model.values())
      for (const [parameter, choices] of nameAll(this.#choicesOf(resource))) {
        const key = groupKeyOf(parameter, choices);
        const sources = found.get(key) ?? [];
        sources.push({ resource, parameter, choices });
        found.set(key, sources);
      }
    const groups = new Map<string, EnumGroup>();
    const taken = new Set<string>();
    for (const sources of [...found.values()].sort((a, b) => b.length - a.length)) {
      sources.sort(compareSources);
      const words =
        sources.length === 1
          ? []
          : commonWordsOf(sources.map(({ resource, parameter }) => enumNameOf(resource, parameter)));
      // Of two groups with the same words, the larger one has them as its name.
      const group = { sources, words: taken.has(words.join('')) ? [] : words };
      for (const source of sources) groups.set(placeOf(source), group);
      taken.add(words.join(''));
    }
    return groups;
  }

  /**
   * Names an enum by the words that the names of all its parameters have in common, e.g. `ObjectState`. One word says too little: then
   * it is named after the first of them, or by the overrides.
   */
  #nameOf({ sources, words }: EnumGroup): string | null {
    const { names, given, report } = this.#assembly;
    const [first] = sources;
    if (first === undefined) return null;
    const shared = words.length < 2 ? null : names.sharedName(words.join(''));
    const name = shared ?? names.nameFor(first.resource, 'enum', first.parameter);
    if (words.length === 1 && sources.length >= MANY && !given.isGiven(name)) {
      const reason = `${sources.length} resources share it, and it is named after one of them; choose another name in the overrides: "names": { "${name}": "…" }`;
      report.add('ENUM_NAME_UNCLEAR', name, reason);
    }
    return name;
  }

  /** The enum has the described choices and the values from the overrides. */
  #create(group: EnumGroup): ServedEnum | null {
    const { builder, overrides, report } = this.#assembly;
    const { sources } = group;
    const [first] = sources;
    const name = this.#nameOf(group);
    if (first === undefined || name === null) return null;
    const described = first.choices;
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
    const valueNames = new FieldNames(name, this.#assembly);
    const choices = new Map(
      [...renameChoices(all ?? described, first.parameter)].map(([own, choice]) => [
        valueNames.claim(own),
        choice,
      ]),
    );
    return {
      ref: createEnum(builder, name, sources.map(placeOf), choices),
      values: new Set([...choices.values()].map(({ value }) => value)),
    };
  }
}

/** A parameter whose values are described. */
interface EnumSource {
  readonly resource: ResourceModel;
  readonly parameter: string;
  readonly choices: Choices;
}

/** The parameters of one enum. */
interface EnumGroup {
  readonly sources: readonly EnumSource[];
  /** The words that the names of all sources have in common; none for one source. */
  readonly words: readonly string[];
}

/** Returns the choices of all actions of a resource for each parameter that does not stay a scalar. */
function nameAll({ inputs, outputs }: ResourceChoices): readonly (readonly [string, Choices])[] {
  return [...new Set([...inputs.keys(), ...outputs.keys()])].flatMap((parameter) => {
    const ofOutputs = outputs.get(parameter) ?? [];
    const named = nameChoices(inputs.get(parameter) ?? ofOutputs.flat());
    if (named === null) return [];
    const values = new Set([...named.values()].map(({ value }) => value));
    const same = ofOutputs.filter((choices) => choices.some(({ value }) => values.has(value)));
    return [[parameter, nameChoices([...named.values(), ...same.flat()]) ?? named] as const];
  });
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
