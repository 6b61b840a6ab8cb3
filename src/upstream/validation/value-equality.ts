// Compares values as Ruby does.
import { isObject } from '../json.ts';
import { DatetimeValue, numberOnWire } from './ruby-text.ts';

/** Whether two values are equal in Ruby, which compares an Integer and a Float by value. */
export function equals(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  if (isNumeric(left) && isNumeric(right)) return !(left < right) && !(left > right);
  if (left instanceof DatetimeValue && right instanceof DatetimeValue) return left.instant === right.instant;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equals(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key]))
    );
  }
  return left === right;
}

/** Whether a value is a number: an Integer (bigint) or a Float. */
export const isNumeric = (value: unknown): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

/** Whether a described number has lost digits in JavaScript. */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether a value equals a described value. A described number that has lost digits is compared as a float. */
export function equalsDescribed(value: unknown, described: unknown): boolean {
  if (isInexact(described)) return isNumeric(value) && Number(value) === described;
  return equals(value, typeof described === 'number' ? numberOnWire(described) : described);
}
