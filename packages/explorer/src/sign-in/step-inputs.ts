// Describes to people the values that a step of signing in takes, and knows which of them need no question.
import { type GraphQLInputField, getNamedType, isEnumType, isNonNullType } from 'graphql';

/** One value that a step takes. */
export interface StepInput {
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  /** What password managers and phones call it. */
  readonly purpose: 'username' | 'current-password' | 'one-time-code' | 'off';
  /** The values of a choice. */
  readonly choices: readonly StepChoice[];
}

/** One value of a choice. */
export interface StepChoice {
  readonly value: string;
  /** For people. */
  readonly label: string;
}

const NUMBERS = ['Int', 'SafeInt', 'Float'];

/** Reads the inputs that a step requires: who, then the secret, then how, the order in which people and password managers answer. */
export function readStepInputs(fields: readonly GraphQLInputField[]): readonly StepInput[] {
  return fields
    .filter(({ type }) => isNonNullType(type))
    .map(readInput)
    .sort((a, b) => rankOf(a) - rankOf(b));
}

function readInput({ name, description, type }: GraphQLInputField): StepInput {
  const named = getNamedType(type);
  const choices = (isEnumType(named) ? named.getValues() : []).map((value) => ({
    value: value.name,
    label: labelOfChoice(value.name, value.description ?? ''),
  }));
  const plain = named.name === 'Boolean' ? 'boolean' : NUMBERS.includes(named.name) ? 'number' : 'text';
  const kind = choices.length > 0 ? 'choice' : plain;
  return { name, label: labelOf(name, description ?? ''), kind, purpose: purposeOf(name), choices };
}

/** The API's own label if the description begins with one, otherwise the words of the name. */
function labelOf(name: string, description: string): string {
  const [first = ''] = description.split('\n', 1);
  const isLabel = first !== '' && first.split(' ').length <= 3 && !/[.:`]/.test(first);
  return isLabel ? first : toWords(name);
}

/** The API's own words. Where it has none, the schema describes a value by its name in backticks. */
function labelOfChoice(name: string, description: string): string {
  const [first = ''] = description.split('\n', 1);
  return first === '' || first.includes('`') ? toWords(name) : capitalize(first);
}

/** `oneTimeCode` and `ONE_TIME_CODE` as `One time code`. */
export function toWords(name: string): string {
  return capitalize(
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase(),
  );
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function purposeOf(name: string): StepInput['purpose'] {
  if (/pass/i.test(name)) return 'current-password';
  if (/code|otp|pin/i.test(name)) return 'one-time-code';
  return /user|login|email|name/i.test(name) ? 'username' : 'off';
}

function rankOf({ kind, purpose }: StepInput): number {
  if (kind === 'choice' || kind === 'boolean') return 3;
  const rank = ['username', 'current-password'].indexOf(purpose);
  return rank === -1 ? 2 : rank;
}

/**
 * The value of a choice that serves most people: of lifetimes, one that renews itself while it is used, or else one that does not end,
 * so that nobody is signed out during the day. Null for a choice that is about something else.
 */
export function preferredChoice({ choices }: StepInput): string | null {
  const find = (pattern: RegExp): string | undefined =>
    choices.find(({ value }) => pattern.test(value))?.value;
  return find(/(^|_)AUTO(_|$)/) ?? find(/^PERMANENT$/) ?? find(/^RENEWABLE/) ?? null;
}
