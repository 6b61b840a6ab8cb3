// Parses the described validators of a parameter.
import { entriesOf, isObject, type JsonObject, kindOf, textOf } from '../json.ts';
import type { ChoiceValue, Validators } from './description.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Report = (validator: string, reason: string) => void;

const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || typeof value === 'number';

/** Parses the validators of a parameter. A malformed one is omitted and reported; the server checks the input anyway. */
export function parseValidators(raw: unknown, report: Report): Validators {
  const validators: Mutable<Validators> = {};
  for (const [name, rule] of entriesOf(raw)) {
    if (name === 'custom') {
      if (typeof rule === 'string') validators.custom = rule;
      continue;
    }
    if (!isObject(rule)) {
      report(name, `expected an object, got ${kindOf(rule)}; left to the server`);
      continue;
    }
    const problem = addRule(validators, name, rule, textOf(rule['message']) ?? '');
    if (problem !== null) report(name, `${problem}; left to the server`);
  }
  return validators;
}

/** Adds one rule to the model. @returns Why the rule is malformed; null for a valid rule. */
function addRule(
  validators: Mutable<Validators>,
  name: string,
  rule: JsonObject,
  message: string,
): string | null {
  switch (name) {
    case 'accept':
      if (!('value' in rule)) return 'expected a key value';
      validators.accept = { value: rule['value'], message };
      return null;
    case 'present':
      validators.present = { empty: rule['empty'] === true, message };
      return null;
    case 'confirm':
      if (typeof rule['parameter'] !== 'string') return 'expected the name of a parameter';
      validators.confirm = { equal: rule['equal'] !== false, parameter: rule['parameter'], message };
      return null;
    case 'include': {
      const values = parseChoices(rule['values']);
      if (values === null) return `expected values to be a list or a map, got ${kindOf(rule['values'])}`;
      validators.include = { values, message };
      return null;
    }
    case 'exclude':
      if (!Array.isArray(rule['values']))
        return `expected values to be a list, got ${kindOf(rule['values'])}`;
      validators.exclude = { values: rule['values'], message };
      return null;
    case 'format':
      if (typeof rule['rx'] !== 'string')
        return `expected rx to be a regular expression, got ${kindOf(rule['rx'])}`;
      validators.format = {
        rx: rule['rx'],
        match: rule['match'] !== false,
        description: textOf(rule['description']),
        message,
      };
      return null;
    case 'length': {
      const { min = null, max = null, equals = null } = rule;
      if (!isNumberOrNull(min) || !isNumberOrNull(max) || !isNumberOrNull(equals))
        return 'expected numbers as bounds';
      validators.length = { min, max, equals, message };
      return null;
    }
    case 'number': {
      const { min = null, max = null, step = null, mod = null } = rule;
      if (!isNumberOrNull(min) || !isNumberOrNull(max) || !isNumberOrNull(step) || !isNumberOrNull(mod))
        return 'expected numbers as conditions';
      validators.number = {
        min,
        max,
        step,
        mod,
        even: rule['even'] === true,
        odd: rule['odd'] === true,
        message,
      };
      return null;
    }
    default:
      return 'a validator that the protocol does not know';
  }
}

function parseChoices(values: unknown): ChoiceValue[] | null {
  if (Array.isArray(values)) return Array.from(values, (value: unknown) => ({ value, label: null }));
  if (!isObject(values)) return null;
  return Object.entries(values).map(([value, label]) => ({ value, label: textOf(label) }));
}
