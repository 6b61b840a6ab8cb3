// Compiles the described validators of an input into one function, which checks values as the server does.
import type { Parameter } from '../description/description.ts';
import type { Validators } from '../description/parse-validators.ts';
import { isObject } from '../json.ts';
import { DatetimeValue } from './datetime.ts';
import { compileRubyRegexp } from './ruby-regexp.ts';
import {
  coerceInput,
  equals,
  equalsDescribed,
  isInexact,
  isNumeric,
  print,
  Refused,
  strip,
  UNDECIDED,
} from './ruby-values.ts';

/** Stable codes of the reasons why a value is refused. */
export type ValidationCode =
  | 'REQUIRED'
  | 'NULL_NOT_ALLOWED'
  | 'TYPE_MISMATCH'
  | 'NOT_ACCEPTED'
  | 'NOT_INCLUDED'
  | 'EXCLUDED'
  | 'FORMAT'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'WRONG_LENGTH'
  | 'TOO_SMALL'
  | 'TOO_LARGE'
  | 'STEP'
  | 'CONFIRMATION'
  | 'INVALID';

/** A reason for which the server refuses an input. */
export interface ValidationFailure {
  /** Upstream name of the parameter. */
  readonly parameter: string;
  readonly code: ValidationCode;
  /** The server's message, with the value filled in. */
  readonly message: string;
}

/** Checks an input by upstream names. An absent or undefined key is an omitted parameter. */
export type Validation = (input: Readonly<Record<string, unknown>>) => readonly ValidationFailure[];

/** Returns why the server refuses a value; null when it accepts the value, or when only the server can decide. */
type Check = (value: unknown, other: OtherValue) => ValidationCode | null;

/** Returns the possible values of another parameter of the same input; null when only the server can decide. */
type OtherValue = (parameter: string) => readonly unknown[] | null;

/**
 * Compiles the checks of an input. The returned function finds all failures, in the order of the parameters.
 * @param report Called for each check that only the server can perform.
 */
export function compileValidation(
  parameters: readonly Parameter[],
  report: (parameter: string, reason: string) => void,
): Validation {
  const names = new Set(parameters.map(({ name }) => name));
  const compiled = parameters.map((parameter) => ({
    parameter,
    checks: compileChecks(parameter, names, (reason) => report(parameter.name, reason)),
  }));
  return (input) => {
    const values = new Map<string, unknown>();
    for (const parameter of parameters) {
      const { name } = parameter;
      values.set(name, coerceInput(parameter, Object.hasOwn(input, name) ? input[name] : undefined));
    }
    const other: OtherValue = (name) => {
      const found = values.get(name);
      const value = found instanceof Refused ? found.given : found;
      if (value === UNDECIDED) return null;
      if (value !== undefined) return [value];
      return valuesWhenOmitted(parameters.find((each) => each.name === name));
    };
    return compiled.flatMap(({ parameter: { name: parameter }, checks }) => {
      const value = values.get(parameter);
      if (value instanceof Refused) return [{ parameter, code: value.code, message: value.message }];
      if (value === undefined || value === null || value === UNDECIDED) return [];
      return checks.flatMap(({ check, message }) => {
        const code = check(value, other);
        return code === null ? [] : [{ parameter, code, message: fill(message, value) }];
      });
    });
  };
}

const fill = (message: string, value: unknown): string =>
  (message || 'is not valid').replaceAll('%{value}', () => print(value));

/** The possible values of an omitted parameter on the server: null, or its default. */
function valuesWhenOmitted(parameter: Parameter | undefined): readonly unknown[] {
  if (parameter === undefined || parameter.type === 'Resource') return [null];
  const value = coerceInput(parameter, parameter.default ?? null);
  return value === null || value === UNDECIDED || value instanceof Refused ? [null] : [null, value];
}

function compileChecks(
  parameter: Parameter,
  names: ReadonlySet<string>,
  report: (reason: string) => void,
): readonly { readonly check: Check; readonly message: string }[] {
  if (parameter.type === 'Resource') return [];
  const { validators } = parameter;
  return (Object.keys(validators) as (keyof Validators)[]).flatMap((name) => {
    if (name === 'custom') return [];
    const check = compileCheck(name, validators, names);
    if (typeof check !== 'string') return [{ check, message: validators[name]?.message ?? '' }];
    report(`${name}: ${check}; left to the server`);
    return [];
  });
}

type RuleName = Exclude<keyof Validators, 'custom'>;

/** Returns the check, or the reason why only the server can perform it. */
type Compilers = {
  readonly [Name in RuleName]: (
    rule: NonNullable<Validators[Name]>,
    names: ReadonlySet<string>,
  ) => Check | string;
};

function compileCheck<Name extends RuleName>(
  name: Name,
  { [name]: rule }: Validators,
  names: ReadonlySet<string>,
): Check | string {
  return rule === undefined ? () => null : COMPILERS[name](rule, names);
}

/** Times cannot be compared with described values, which are texts of unknown form. */
const isComparable = (value: unknown): boolean => !(value instanceof DatetimeValue);

const COMPILERS: Compilers = {
  accept: (rule) => (value) =>
    isComparable(value) && !equalsDescribed(value, rule.value) ? 'NOT_ACCEPTED' : null,

  // Null is handled before: it is refused, or it clears the value.
  present: (rule) => (value) => {
    const isEmpty = (typeof value === 'string' ? strip(value) === '' : sizeOf(value) === 0) && !rule.empty;
    return isEmpty ? 'REQUIRED' : null;
  },

  confirm: ({ parameter, equal }, names) =>
    !names.has(parameter)
      ? `there is no parameter ${parameter}`
      : (value, other) => {
          const others = other(parameter);
          if (others === null) return null;
          return others.some((each) => equals(value, each) === equal) ? null : 'CONFIRMATION';
        },

  // The keys of a map are texts in JSON, although they may have another type on the server. Whether a text equals a described
  // number is left to the server.
  include: (rule) => (value) => {
    if (!isComparable(value)) return null;
    const isIncluded = rule.values.some(
      (choice) =>
        equalsDescribed(value, choice.value) ||
        (choice.label !== null && print(value) === choice.value) ||
        (typeof choice.value === 'number' && value === String(choice.value)),
    );
    return isIncluded ? null : 'NOT_INCLUDED';
  },

  exclude: (rule) => (value) =>
    rule.values.some((each) => !isInexact(each) && equalsDescribed(value, each)) ? 'EXCLUDED' : null,

  format: (rule) => {
    const matches = compileRubyRegexp(rule.rx);
    if (matches === null) return 'the regular expression is not one of the simple ones that are checked here';
    return (value) => {
      if (typeof value !== 'string') return 'FORMAT';
      const isMatch = matches(value);
      return isMatch === null || isMatch === rule.match ? null : 'FORMAT';
    };
  },

  length:
    ({ min, max, equals: exact }) =>
    (value) => {
      const size = sizeOf(value);
      if (size === null || (exact !== null && size !== exact)) return 'WRONG_LENGTH';
      if (min !== null && size < min) return 'TOO_SHORT';
      return max !== null && size > max ? 'TOO_LONG' : null;
    },

  number: ({ min, max, step, mod, even, odd }) => {
    if (step === 0 || mod === 0) return 'a step of 0';
    return (value) => {
      // A text is a number if it consists of digits.
      const given = typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
      if (!isNumeric(given)) return 'TYPE_MISMATCH';
      if (min !== null && isLess(given, min)) return 'TOO_SMALL';
      if (max !== null && isLess(max, given)) return 'TOO_LARGE';
      const isOff =
        (step !== null && !isMultiple(given, min ?? 0, step)) ||
        (mod !== null && !isMultiple(given, 0, mod)) ||
        (even && !isMultiple(given, 0, 2)) ||
        (odd && isMultiple(given, 0, 2));
      return isOff ? 'STEP' : null;
    };
  },
};

/** The length of a text is its number of code points. Numbers, booleans and times have no length. */
function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  if (isObject(value) && isComparable(value)) return Object.keys(value).length;
  return typeof value === 'string' ? [...value].length : null;
}

/** Compares bounds that have lost digits as floats, because rounding keeps the order. */
function isLess(left: bigint | number, right: bigint | number): boolean {
  return isInexact(left) || isInexact(right) ? Number(left) < Number(right) : left < right;
}

/** Whether `value - from` is a multiple of `step`; true when lost digits leave the decision to the server. */
function isMultiple(value: bigint | number, from: number, step: number): boolean {
  if (isInexact(from) || isInexact(step)) return true;
  if (typeof value === 'bigint' && Number.isInteger(from) && Number.isInteger(step))
    return (value - BigInt(from)) % BigInt(step) === 0n;
  return (Number(value) - from) % step === 0;
}
