// Builds the path and the query of a call, and finds values that cannot be sent.
import { isObject, LongInteger } from '../json.ts';

/** A described path: literal text with placeholders, written `{name}` (protocol 2) or `:name` (protocol 1). */
export interface PathTemplate {
  /** The described path, e.g. `/v1.0/books/{book_id}`. It holds no values, so it may be logged. */
  readonly text: string;
  /** Names of the placeholders, in path order. */
  readonly placeholders: readonly string[];
  /** Percent-encoded text before, between and after the placeholders: one entry more than `placeholders`. */
  readonly literals: readonly string[];
}

const PLACEHOLDER = /\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g;

/**
 * Parses a described path; null when it is a URL, leads to another origin, has dot segments (also encoded ones), a query or a fragment,
 * or is not well-formed text.
 */
export function parsePathTemplate(text: string): PathTemplate | null {
  if (!text.startsWith('/') || text.startsWith('//') || /[\s?#\\]/.test(text) || !text.isWellFormed())
    return null;
  if (text.split(/\/|%2f|%5c/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return null;
  const placeholders: string[] = [];
  const literals: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    literals.push(encodeLiteral(text.slice(end, match.index)));
    placeholders.push(match[1] ?? match[2] ?? '');
    end = match.index + match[0].length;
  }
  literals.push(encodeLiteral(text.slice(end)));
  return { text, placeholders, literals };
}

/** Percent-encodes the characters that HTTP does not allow in a path. */
const encodeLiteral = (text: string): string => text.replace(/[^\x21-\x7e]/gu, encodeURIComponent);

/**
 * Fills the placeholders of a template. Each value becomes one percent-encoded segment.
 * @param values One value for each placeholder, in path order.
 */
export function fillPath(template: PathTemplate, values: readonly string[]): string {
  return template.literals.reduce(
    (path, literal, index) => path + encodeURIComponent(values[index - 1] ?? '') + literal,
  );
}

/**
 * Places a path of the API below the prefix of its address, unless its description says the prefix already.
 * @param described The described path, whose first segments decide.
 * @param prefix Empty, or a path without a slash at its end.
 */
export function belowPrefix(path: string, described: string, prefix: string): string {
  const hasPrefix = described.startsWith(prefix) && /^(?:[/?]|$)/.test(described.slice(prefix.length));
  return hasPrefix ? path : prefix + path;
}

/** Whether a value can be one path segment: it is not empty, not a dot segment, and well-formed Unicode. */
export function isPathValue(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && value.isWellFormed();
}

/** The last literal segment of a path, e.g. `books`; empty where it has none. */
export function lastFixedSegment(template: PathTemplate): string {
  const segments = template.literals.join('/').split('/');
  return segments.filter((segment) => segment !== '').at(-1) ?? '';
}

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

/** Returns what a query string cannot say of a value; null if it can say all. */
function lostInQuery(value: unknown): string | null {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list';
    if (value.some(Array.isArray)) return 'a list within a list';
    // Servers do not agree where each object begins.
    const hasObject = value.some((item) => isObject(item) && !(item instanceof LongInteger));
    return hasObject ? 'a list of objects' : null;
  }
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  return keys.some((key) => key === '' || /[[\]]/.test(key)) ? 'a key that is empty or has brackets' : null;
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
