// Parses the described validators of a parameter (specification: Errors 2).
import { entriesOf, isObject, type JsonObject, kindOf, textOf } from '../json.ts';

/** One accepted value, with its label where the values are described as a map. */
export interface ChoiceValue {
  readonly value: unknown;
  readonly label: string | null;
}

/** Each parses one kind of rule, or returns why it is malformed. */
const PARSERS = {
  accept: (rule: JsonObject) => ('value' in rule ? { value: rule['value'] } : 'expected a key value'),
  present: ({ empty }: JsonObject) => ({ empty: empty === true }),
  confirm: ({ parameter, equal }: JsonObject) =>
    typeof parameter === 'string'
      ? { equal: equal !== false, parameter }
      : 'expected the name of a parameter',
  include: ({ values }: JsonObject) =>
    isObject(values) || Array.isArray(values)
      ? { values: parseChoices(values) }
      : `expected values to be a list or a map, got ${kindOf(values)}`,
  exclude: ({ values }: JsonObject) =>
    Array.isArray(values)
      ? { values: values as readonly unknown[] }
      : `expected values to be a list, got ${kindOf(values)}`,
  format: ({ rx, match, description }: JsonObject) =>
    typeof rx === 'string'
      ? { rx, match: match !== false, description: textOf(description) }
      : `expected rx to be a regular expression, got ${kindOf(rx)}`,
  length: ({ min = null, max = null, equals = null }: JsonObject) =>
    isNumberOrNull(min) && isNumberOrNull(max) && isNumberOrNull(equals)
      ? { min, max, equals }
      : 'expected numbers as bounds',
  number: ({ min = null, max = null, step = null, mod = null, even, odd }: JsonObject) =>
    isNumberOrNull(min) && isNumberOrNull(max) && isNumberOrNull(step) && isNumberOrNull(mod)
      ? { min, max, step, mod, even: even === true, odd: odd === true }
      : 'expected numbers as conditions',
};

type RuleName = keyof typeof PARSERS;

/** The described validators of a parameter; an absent key means that there is no such rule. */
export type Validators = {
  readonly [Name in RuleName]?: Readonly<Exclude<ReturnType<(typeof PARSERS)[Name]>, string>> & {
    readonly message: string;
  };
} & {
  /** Text about a check that only the server can perform. */
  readonly custom?: string;
};

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

const isKnown = (name: string): name is RuleName => Object.hasOwn(PARSERS, name);

const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || typeof value === 'number';

const parseChoices = (values: JsonObject | readonly unknown[]): ChoiceValue[] =>
  Array.isArray(values)
    ? Array.from(values, (value: unknown) => ({ value, label: null }))
    : Object.entries(values).map(([value, label]) => ({ value, label: textOf(label) }));
