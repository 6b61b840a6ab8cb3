// Encodes the input of a GET call as a query string.
import { LongInteger } from '../long-integer.ts';

/**
 * Encodes input with brackets: `book[limit]=10`, null as the empty string, list items as `name[]=`. Undefined values are
 * omitted.
 * @param groups Parameters by namespace; a namespace of null adds no prefix to the names.
 */
export function encodeQuery(
  groups: readonly (readonly [namespace: string | null, values: Readonly<Record<string, unknown>>])[],
): string {
  const pairs: string[] = [];
  for (const [namespace, values] of groups) {
    for (const [name, value] of Object.entries(values)) {
      append(pairs, namespace === null ? name : `${namespace}[${name}]`, value);
    }
  }
  return pairs.join('&');
}

function append(pairs: string[], key: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) append(pairs, `${key}[]`, item);
  } else if (typeof value === 'object' && value !== null && !(value instanceof LongInteger)) {
    for (const [name, item] of Object.entries(value)) append(pairs, `${key}[${name}]`, item);
  } else {
    const text = value === null ? '' : String(value);
    pairs.push(`${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(text.toWellFormed())}`);
  }
}
