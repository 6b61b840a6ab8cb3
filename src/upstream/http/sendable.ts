// Finds input values that a call would lose or change on its way to the API.
import { isObject, LongInteger } from '../json.ts';

/** Returns what a query string cannot say of a value; null if it can say all. */
function lostInQuery(value: unknown): string | null {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list';
    if (value.some(Array.isArray)) return 'a list within a list';
    return isReadInOneWay(value) ? null : 'a list of objects';
  }
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  return keys.some((key) => key === '' || /[[\]]/.test(key)) ? 'a key that is empty or has brackets' : null;
}

/** Whether servers find out where each object of a list begins: where its first key comes again. */
function isReadInOneWay(items: readonly unknown[]): boolean {
  const objects = items.filter((item) => isObject(item) && !(item instanceof LongInteger));
  if (objects.length === 0) return true;
  const firsts = objects.map((item) => Object.entries(item as object)[0]);
  return (
    objects.length === items.length &&
    firsts.every(
      (first) => first !== undefined && first[0] === firsts[0]?.[0] && typeof first[1] !== 'object',
    )
  );
}

/**
 * Finds a part of an input value that cannot be sent to the API as it is. Returns its description for a message; null for none.
 * @param inQuery Whether the value goes into a query string; otherwise it is sent as JSON.
 */
export function findUnsendable(value: unknown, inQuery: boolean): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'half of a surrogate pair';
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'a number beyond those of double precision';
  if (typeof value !== 'object' || value === null || value instanceof LongInteger) return null;
  const lost = inQuery ? lostInQuery(value) : null;
  if (lost !== null) return `${lost}, which a query string cannot express`;
  for (const [key, item] of Object.entries(value)) {
    const found = key.isWellFormed() ? findUnsendable(item, inQuery) : 'half of a surrogate pair';
    if (found !== null) return found;
  }
  return null;
}
