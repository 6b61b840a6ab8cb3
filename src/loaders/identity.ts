import type { Action } from '../upstream/description/description.ts';
import { InvalidInputError } from '../upstream/errors/request-errors.ts';
import { isPathValue } from '../upstream/http/path-template.ts';
import type { JsonObject } from '../upstream/reader.ts';

/** How the objects of one resource are told apart: the placeholders that its objects' paths need. */
export interface Identity {
  /** Path of the resource, e.g. `['shelf', 'book']`. */
  readonly path: readonly string[];
  /** Placeholders of each segment of the path; a singleton's segment has none. */
  readonly segments: readonly (readonly string[])[];
  /** All placeholders, in path order. */
  readonly placeholders: readonly string[];
  /** The last placeholder, when an object's own `id` fills it; null for singletons and for keys that are no ids. */
  readonly idPlaceholder: string | null;
  /** What the description says of the placeholders' values; a placeholder that is missing here may hold any text. */
  readonly valueTypes: ReadonlyMap<string, PlaceholderType>;
  /** The action that answers one object, where the caller has one. */
  readonly show: Action | null;
}

/** The described type of what fills a placeholder: integers, or texts that are not all integers. */
export type PlaceholderType = 'integer' | 'text';

/** Values of an identity's placeholders, in path order. */
export type Ids = readonly string[];

/** Ids the caller came by, by placeholder, e.g. those of the parent that a list was asked of. */
export type PathIds = ReadonlyMap<string, string>;

/**
 * Finds the ids of an object: each placeholder from its `id`, else the output parameter of its name, else
 * `path_params`, else the ids the caller came by. Null when one of them is nowhere.
 * @param idKey Key of the object's own id; an association may name another than `id`.
 */
export function idsOf(
  identity: Identity,
  values: JsonObject,
  meta: unknown,
  pathIds: PathIds,
  idKey = 'id',
): Ids | null {
  const pathParams = pathParamsOf(meta, identity.placeholders.length);
  const ids: string[] = [];
  for (const [index, placeholder] of identity.placeholders.entries()) {
    const id =
      (placeholder === identity.idPlaceholder ? scalar(values[idKey]) : null) ??
      scalar(values[placeholder]) ??
      scalar(pathParams[index]) ??
      pathIds.get(placeholder);
    if (id === undefined) return null;
    ids.push(id);
  }
  return ids;
}

/** `path_params` may be missing, `[null]`, or too short for a nested resource; then they say nothing certain. */
function pathParamsOf(meta: unknown, length: number): readonly unknown[] {
  const params =
    typeof meta === 'object' && meta !== null && 'path_params' in meta ? meta.path_params : undefined;
  return Array.isArray(params) && params.length === length ? params : [];
}

/** An id as text. An integer that JavaScript has rounded is none: it would be the id of another object. */
function scalar(value: unknown): string | undefined {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The ids by placeholder, for what is asked of an object next. */
export function pathIdsOf(identity: Identity, ids: Ids): PathIds {
  return new Map(identity.placeholders.map((placeholder, index) => [placeholder, ids[index] ?? '']));
}

/** The readable global id: the path with its ids, percent-encoded, e.g. `shelf/14/book/3`. */
export function toGlobalId(identity: Identity, ids: Ids): string {
  let index = 0;
  return identity.path
    .flatMap((name, depth) => [name, ...(identity.segments[depth] ?? []).map(() => ids[index++] ?? '')])
    .map(encodeURIComponent)
    .join('/');
}

/**
 * Whether a text is an integer as APIs write ids: decimal digits alone, without sign or leading zero, up to 2^53−1. Beyond it
 * a variable that came as a JSON number was rounded to the id of another object.
 */
export function isIntegerId(text: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
}

/** An own id as JSON input wants it: a number where it is an integer, and not described as text. */
export function toInputId({ placeholders, valueTypes }: Identity, id: string): number | string {
  return valueTypes.get(placeholders.at(-1) ?? '') !== 'text' && isIntegerId(id) ? Number(id) : id;
}

/** Reads a global id of one resource; null when the text is no global id of it. */
export function parseGlobalId(identity: Identity, text: string): Ids | null {
  const parts = text.split('/').map(decodePart);
  const ids: string[] = [];
  let index = 0;
  for (const [depth, name] of identity.path.entries()) {
    if (parts[index++] !== name) return null;
    for (const _placeholder of identity.segments[depth] ?? []) {
      const id = parts[index++];
      if (id === undefined || id === null) return null;
      ids.push(id);
    }
  }
  return index === parts.length ? ids : null;
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** @throws InvalidInputError unless every id can stand as one segment of a path. */
export function checkIds(ids: Ids): Ids {
  if (ids.every(isPathValue)) return ids;
  throw new InvalidInputError(
    'An id must not be empty, "." or "..", and must be well-formed text: it becomes part of a path.',
  );
}
