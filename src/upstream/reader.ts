// Reads JSON values of unknown type.
import { LongInteger } from './long-integer.ts';

/** A JSON object with values of unknown type. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of an object; empty for any other value (Ruby encodes an empty map as `{}` or `[]`). */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The value if it is a string; otherwise null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Names the type of a value for a message, without the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof LongInteger) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether a value is a list of strings. */
export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
