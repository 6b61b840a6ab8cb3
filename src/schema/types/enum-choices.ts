// Reads the values that descriptions list for parameters.
import type { Parameter } from '../../upstream/description/description.ts';
import type { ChoiceValue } from '../../upstream/description/parse-validators.ts';
import type { ResourceModel } from '../model/model.ts';
import { enumValueNameOf } from '../names/naming.ts';

/** One value of a parameter. */
interface Choice {
  readonly value: string;
  readonly label: string | null;
}

/** Choices by the names of their enum values. */
export type Choices = ReadonlyMap<string, Choice>;

/** Returns the described values that a text can equal, or null if a String parameter has none. */
export function describedValuesOf(parameter: Parameter): readonly ChoiceValue[] | null {
  const values = parameter.type === 'String' ? (parameter.validators.include?.values ?? []) : [];
  const texts = values.filter(({ value }) => typeof value === 'string' || typeof value === 'number');
  return texts.length === 0 ? null : texts;
}

/** Returns the described choices of a String parameter, or null if it has none. */
function choicesOf(parameter: Parameter): readonly Choice[] | null {
  const values = describedValuesOf(parameter);
  if (values === null) return null;
  const explained = explanationsIn(parameter.description ?? '');
  return values.map(({ value, label }) => ({
    value: String(value),
    label: label ?? explained.get(String(value)) ?? null,
  }));
}

/** The protocol's own parameters explain their values line by line: `fixed - the token cannot be renewed`. */
const explanationsIn = (description: string): ReadonlyMap<string, string> =>
  new Map([...description.matchAll(/^(\S+) - (.*\S)/gm)].map(([, value = '', text = '']) => [value, text]));

/**
 * Returns the choices of each parameter of a resource that does not stay a scalar: those of its inputs, with those of outputs that share
 * one with them; or those of its outputs. All are collected at once, because looking for those of each field takes quadratic time.
 */
export function collectChoices({ actions }: ResourceModel): ReadonlyMap<string, Choices> {
  const inputs = choicesByName(actions.flatMap(({ input }) => input.parameters));
  const outputs = choicesByName(actions.flatMap(({ output }) => output.parameters));
  const found = new Map<string, Choices>();
  for (const name of new Set([...inputs.keys(), ...outputs.keys()])) {
    const ofOutputs = outputs.get(name) ?? [];
    const named = nameChoices((inputs.get(name) ?? ofOutputs).flat());
    if (named === null) continue;
    const values = new Set([...named.values()].map(({ value }) => value));
    const same = ofOutputs.filter((choices) => choices.some(({ value }) => values.has(value)));
    found.set(name, nameChoices([...named.values(), ...same.flat()]) ?? named);
  }
  return found;
}

/** Returns the choices of each description of a parameter. */
function choicesByName(parameters: readonly Parameter[]): ReadonlyMap<string, (readonly Choice[])[]> {
  const found = new Map<string, (readonly Choice[])[]>();
  for (const parameter of parameters) {
    const choices = choicesOf(parameter);
    const known = found.get(parameter.name);
    if (choices === null) continue;
    if (known === undefined) found.set(parameter.name, [choices]);
    else known.push(choices);
  }
  return found;
}

/** Maps names to choices. Returns null if there are no choices, one has no name, or two have the same name. */
export function nameChoices(choices: readonly Choice[]): Choices | null {
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
export function renameChoices(choices: Choices, parameter: string): Choices {
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
  const cuts = words.flatMap((word) => [
    (name: string) => (name.endsWith(`_${word}`) ? name.slice(0, -word.length - 1) : name),
    (name: string) => (name.startsWith(`${word}_`) ? name.slice(word.length + 1) : name),
  ]);
  for (const cut of cuts) {
    const short = names.map(cut);
    const areNames = short.every((name, index) => /^[A-Z]/.test(name) && name !== names[index]);
    if (areNames && new Set(short).size === names.length) return short;
  }
  return names;
}
