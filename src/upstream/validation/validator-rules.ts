// Implements the checks of the described validators as the server performs them.
import type { Validators } from '../description/description.ts';
import { isObject } from '../json.ts';
import { compileRubyRegexp } from './ruby-regexp.ts';
import { DatetimeValue, equals, equalsDescribed, isInexact, isNumeric, print, strip } from './ruby-values.ts';
import type { ValidationCode } from './validators.ts';

/** Returns the possible values of another parameter of the same input; null when only the server can decide. */
export type OtherValue = (parameter: string) => readonly unknown[] | null;

/** Returns why the server refuses a value; null when it accepts the value, or when only the server can decide. */
export type Check = (value: unknown, other: OtherValue) => ValidationCode | null;

type Rule<Name extends keyof Validators> = NonNullable<Validators[Name]>;

/** Times cannot be compared with described values, which are texts of unknown form. */
const isComparable = (value: unknown): boolean => !(value instanceof DatetimeValue);

export const accept =
  (rule: Rule<'accept'>): Check =>
  (value) =>
    isComparable(value) && !equalsDescribed(value, rule.value) ? 'NOT_ACCEPTED' : null;

/** Null is handled before: it is refused, or it clears the value. */
export const present =
  (rule: Rule<'present'>): Check =>
  (value) => {
    if (rule.empty) return null;
    const isEmpty =
      (typeof value === 'string' && strip(value) === '') ||
      (Array.isArray(value) && value.length === 0) ||
      (isObject(value) && isComparable(value) && Object.keys(value).length === 0);
    return isEmpty ? 'REQUIRED' : null;
  };

export const confirm =
  (rule: Rule<'confirm'>): Check =>
  (value, other) => {
    const others = other(rule.parameter);
    if (others === null) return null;
    return others.some((each) => equals(value, each) === rule.equal) ? null : 'CONFIRMATION';
  };

/**
 * The keys of a map are texts in JSON, although they may have another type on the server. Whether a text equals a described
 * number is left to the server.
 */
export const include =
  (rule: Rule<'include'>): Check =>
  (value) => {
    if (!isComparable(value)) return null;
    const isIncluded = rule.values.some(
      (choice) =>
        equalsDescribed(value, choice.value) ||
        (choice.label !== null && print(value) === choice.value) ||
        (typeof choice.value === 'number' && value === String(choice.value)),
    );
    return isIncluded ? null : 'NOT_INCLUDED';
  };

export const exclude =
  (rule: Rule<'exclude'>): Check =>
  (value) =>
    rule.values.some((each) => !isInexact(each) && equalsDescribed(value, each)) ? 'EXCLUDED' : null;

/** @returns Null when the regular expression is left to the server. */
export function format(rule: Rule<'format'>): Check | null {
  const matches = compileRubyRegexp(rule.rx);
  if (matches === null) return null;
  return (value) => {
    if (typeof value !== 'string') return 'FORMAT';
    const isMatch = matches(value);
    return isMatch === null || isMatch === rule.match ? null : 'FORMAT';
  };
}

export const length =
  ({ min, max, equals: exact }: Rule<'length'>): Check =>
  (value) => {
    const size = sizeOf(value);
    if (size === null || (exact !== null && size !== exact)) return 'WRONG_LENGTH';
    if (min !== null && size < min) return 'TOO_SHORT';
    return max !== null && size > max ? 'TOO_LONG' : null;
  };

/** The length of a text is its number of code points. Numbers, booleans and times have no length. */
function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  if (isObject(value) && isComparable(value)) return Object.keys(value).length;
  if (typeof value !== 'string') return null;
  let size = 0;
  for (const _character of value) size++;
  return size;
}

/** A text is a number if it consists of digits. */
export const number =
  (rule: Rule<'number'>): Check =>
  (value) => {
    const given = typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
    if (!isNumeric(given)) return 'TYPE_MISMATCH';
    if (rule.min !== null && isLess(given, rule.min)) return 'TOO_SMALL';
    if (rule.max !== null && isLess(rule.max, given)) return 'TOO_LARGE';
    const isOff =
      (rule.step !== null && !isMultiple(given, rule.min ?? 0, rule.step)) ||
      (rule.mod !== null && !isMultiple(given, 0, rule.mod)) ||
      (rule.even && !isMultiple(given, 0, 2)) ||
      (rule.odd && isMultiple(given, 0, 2));
    return isOff ? 'STEP' : null;
  };

/** Compares bounds that have lost digits as floats, because rounding keeps the order. */
function isLess(left: bigint | number, right: bigint | number): boolean {
  return isInexact(left) || isInexact(right) ? Number(left) < Number(right) : left < right;
}

/** Whether `value - from` is a multiple of `step`; true when lost digits or a step of 0 leave the decision to the server. */
function isMultiple(value: bigint | number, from: number, step: number): boolean {
  if (step === 0 || isInexact(from) || isInexact(step)) return true;
  if (typeof value === 'bigint' && Number.isInteger(from) && Number.isInteger(step)) {
    return (value - BigInt(from)) % BigInt(step) === 0n;
  }
  return (Number(value) - from) % step === 0;
}
