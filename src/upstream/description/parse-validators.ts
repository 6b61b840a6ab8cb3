// Parses the described validators of a parameter.
import { entriesOf, isObject, type JsonObject, kindOf, textOf } from '../json.ts';
import type { ChoiceValue, Validators } from './description.ts';

type Rules = Required<Omit<Validators, 'custom'>>;

/** Parses each kind of rule but its message; to the reason for which it is malformed. */
const PARSERS: {
  readonly [Name in keyof Rules]: (rule: JsonObject) => Omit<Rules[Name], 'message'> | string;
} = {
  accept: (rule) => ('value' in rule ? { value: rule['value'] } : 'expected a key value'),
  present: ({ empty }) => ({ empty: empty === true }),
  confirm: ({ parameter, equal }) =>
    typeof parameter === 'string'
      ? { equal: equal !== false, parameter }
      : 'expected the name of a parameter',
  include: ({ values }) => {
    const choices = parseChoices(values);
    return choices === null
      ? `expected values to be a list or a map, got ${kindOf(values)}`
      : { values: choices };
  },
  exclude: ({ values }) =>
    Array.isArray(values) ? { values } : `expected values to be a list, got ${kindOf(values)}`,
  format: ({ rx, match, description }) =>
    typeof rx === 'string'
      ? { rx, match: match !== false, description: textOf(description) }
      : `expected rx to be a regular expression, got ${kindOf(rx)}`,
  length: ({ min = null, max = null, equals = null }) =>
    isNumberOrNull(min) && isNumberOrNull(max) && isNumberOrNull(equals)
      ? { min, max, equals }
      : 'expected numbers as bounds',
  number: ({ min = null, max = null, step = null, mod = null, even, odd }) =>
    isNumberOrNull(min) && isNumberOrNull(max) && isNumberOrNull(step) && isNumberOrNull(mod)
      ? { min, max, step, mod, even: even === true, odd: odd === true }
      : 'expected numbers as conditions',
};

const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || typeof value === 'number';

const isKnown = (name: string): name is keyof Rules => Object.hasOwn(PARSERS, name);

/**
 * Parses the validators of a parameter. A malformed one is omitted; the server checks the input anyway.
 * @param report Receives the name of each malformed validator, and the reason.
 */
export function parseValidators(
  raw: unknown,
  report: (validator: string, reason: string) => void,
): Validators {
  const entries = entriesOf(raw).flatMap(([name, rule]) => {
    if (name === 'custom') return typeof rule === 'string' ? [[name, rule]] : [];
    const parsed = parseRule(name, rule);
    if (isObject(parsed)) return [[name, parsed]];
    report(name, `${parsed}; left to the server`);
    return [];
  });
  return Object.fromEntries(entries) as Validators;
}

function parseRule(name: string, rule: unknown): JsonObject | string {
  if (!isObject(rule)) return `expected an object, got ${kindOf(rule)}`;
  if (!isKnown(name)) return 'a validator that the protocol does not know';
  const parsed = PARSERS[name](rule);
  return typeof parsed === 'string' ? parsed : { ...parsed, message: textOf(rule['message']) ?? '' };
}

function parseChoices(values: unknown): ChoiceValue[] | null {
  if (Array.isArray(values)) return Array.from(values, (value: unknown) => ({ value, label: null }));
  if (!isObject(values)) return null;
  return Object.entries(values).map(([value, label]) => ({ value, label: textOf(label) }));
}
