/** Something that was left out of the model, with its place in the description and the reason. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code: string;
  /** Dotted place, e.g. `book#create input.title.validators.format`. */
  readonly path: string;
  /** What was expected, what came, and what was done about it. */
  readonly reason: string;
}

/** A JSON object whose values are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (no array, no null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of an object, or none for null, undefined or a list (Ruby encodes an empty map as `{}` or `[]`). */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** A string, or null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Names a value's kind for a message, without showing the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether a value is a list of strings. */
export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
