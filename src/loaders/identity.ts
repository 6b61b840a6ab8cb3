// Identifies objects: the ids in their paths, and the global ids that clients see.
import type { Action } from '../upstream/description/description.ts';
import { isPathValue } from '../upstream/http/request-path.ts';
import { isObject, type JsonObject } from '../upstream/json.ts';
import { InvalidInputError } from './errors.ts';

/** How the objects of one resource are identified: by the placeholders of their paths. */
export interface Identity {
  /** Path of the resource, e.g. `['shelf', 'book']`. */
  readonly path: readonly string[];
  /** Placeholders of each segment of the path; a singleton's segment has none. */
  readonly segments: readonly (readonly string[])[];
  /** All placeholders, in path order. */
  readonly placeholders: readonly string[];
  /** The last placeholder if the object's id fills it; null for singletons and for keys that are not ids. */
  readonly idPlaceholder: string | null;
  /** The output parameter that is the object's id; usually `id`. */
  readonly idParameter: string;
  /** Described types of the placeholders; a placeholder without an entry accepts any text. */
  readonly valueTypes: ReadonlyMap<string, PlaceholderType>;
  /** The action that reads one object; null where the caller's description has none. */
  readonly show: Action | null;
}

/** The described type of a placeholder's values: integers, or texts that may not be integers. */
export type PlaceholderType = 'integer' | 'text';

/** Values of an identity's placeholders, in path order. */
export type Ids = readonly string[];

/** Known ids by placeholder, e.g. those of the parent of a list. */
export type PathIds = ReadonlyMap<string, string>;

/** No known ids. */
export const NO_PATH_IDS: PathIds = new Map();

/**
 * Determines the ids of an object. The sources of each placeholder, in this order: the object's id, the output parameter
 * with the placeholder's name, `path_params`, and `pathIds`. Null when one placeholder is in none of them.
 * @param idKey Key of the object's id; associations may use another key than lists. Default: that of the identity.
 */
export function idsOf(
  identity: Identity,
  values: JsonObject,
  meta: unknown,
  pathIds: PathIds,
  idKey = identity.idParameter,
): Ids | null {
  const { placeholders, idPlaceholder } = identity;
  const ids: string[] = [];
  for (const placeholder of placeholders) {
    const id =
      (placeholder === idPlaceholder ? idText(values[idKey]) : undefined) ??
      idText(values[placeholder]) ??
      idText(readPathParams(meta, placeholders.length)[ids.length]) ??
      pathIds.get(placeholder);
    if (id === undefined) return null;
    ids.push(id);
  }
  return ids;
}

/** Reads `path_params`; empty where they are missing, `[null]`, or too short for a nested resource. */
function readPathParams(meta: unknown, length: number): readonly unknown[] {
  const params = isObject(meta) ? meta['path_params'] : undefined;
  return Array.isArray(params) && params.length === length ? params : [];
}

/**
 * An id as text. Undefined for an integer that JavaScript has rounded, because it identifies another object, and for text that is not
 * well-formed, because no path or global ID can contain it.
 */
function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The ids of an object by placeholder. */
export function pathIdsOf(identity: Identity, ids: Ids): PathIds {
  return new Map(identity.placeholders.map((placeholder, index) => [placeholder, ids[index] ?? '']));
}

/** The place of objects among others. */
type Located = Pick<Identity, 'path' | 'segments'>;

/** How the global ids of a resource are written. */
interface GlobalIdShape {
  /** Names, and null where an id stands. */
  readonly parts: readonly (string | null)[];
  /** The text before the first id, e.g. `shelf/`. */
  readonly start: string;
  /** The text after each id, e.g. `/book/`, and an empty one at the end. */
  readonly afterIds: readonly string[];
}

/** The shapes that have been made. Each row needs one. */
const shapes = new WeakMap<Located, GlobalIdShape>();

/** Stands for an id. No encoded name contains it. */
const ID_MARK = ' ';

function shapeOf(identity: Located): GlobalIdShape {
  let shape = shapes.get(identity);
  if (shape === undefined) {
    const { path, segments } = identity;
    // Only well-formed names can be encoded.
    const names = path.map((name) => name.toWellFormed());
    const parts = names.flatMap((name, depth) => [name, ...(segments[depth] ?? []).map(() => null)]);
    const text = parts.map((name) => (name === null ? ID_MARK : encodeURIComponent(name))).join('/');
    const [start = '', ...afterIds] = text.split(ID_MARK);
    shape = { parts, start, afterIds };
    shapes.set(identity, shape);
  }
  return shape;
}

/** The parts of a global id: names, and null where an id stands. */
export const globalIdParts = (identity: Identity): readonly (string | null)[] => shapeOf(identity).parts;

/** Builds the readable global id: the path with its ids, percent-encoded, e.g. `shelf/14/book/3`. */
export function toGlobalId(identity: Located, ids: Ids): string {
  const { start, afterIds } = shapeOf(identity);
  let text = start;
  for (let index = 0; index < afterIds.length; index += 1)
    text += encodeId(ids[index] ?? '') + afterIds[index];
  return text;
}

/** The global id of an object from the ids in its path; null where one of them is missing. */
export function globalIdIn(identity: Located, values: PathIds): string | null {
  const ids = identity.segments.flat().map((placeholder) => values.get(placeholder));
  return ids.every((id) => id !== undefined) ? toGlobalId(identity, ids) : null;
}

/** The same, or else that of the nearest parent whose ids are all given; null for none. */
export function nearestIdIn({ path, segments }: Located, values: PathIds): string | null {
  if (segments.flat().length === 0) return null;
  const parent = { path: path.slice(0, -1), segments: segments.slice(0, -1) };
  return globalIdIn({ path, segments }, values) ?? nearestIdIn(parent, values);
}

/** Most ids are digits, for which the test is faster than the encoding. */
const encodeId = (id: string): string => (/^[\w.-]*$/.test(id) ? id : encodeURIComponent(id));

/**
 * Whether a text is an integer id: decimal digits without sign or leading zero, up to 2^53−1. JavaScript rounds larger
 * numbers in JSON variables, so they would identify another object.
 */
export function isIntegerId(text: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Converts an object's id for JSON input: an integer becomes a number unless ids are described as text. */
export function toInputId({ placeholders, valueTypes }: Identity, id: string): number | string {
  return valueTypes.get(placeholders.at(-1) ?? '') !== 'text' && isIntegerId(id) ? Number(id) : id;
}

/** The decoded parts of a text that may be a global id; null when it is not percent-encoded as one. */
export function parseIdParts(text: string): readonly string[] | null {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Reads the ids in the parts of a global id of one resource; null when they are not those of this resource. */
export function matchIdParts(identity: Identity, parts: readonly string[] | null): Ids | null {
  const expected = globalIdParts(identity);
  if (parts === null || parts.length !== expected.length) return null;
  const isMatch = parts.every((part, index) => (expected[index] ?? part) === part);
  return isMatch ? parts.filter((_part, index) => expected[index] === null) : null;
}

/** @throws InvalidInputError when an id cannot be one segment of a path. */
export function checkIds(ids: Ids): Ids {
  if (ids.every(isPathValue)) return ids;
  throw new InvalidInputError(
    'An id must not be empty, "." or "..", and must be well-formed text: it becomes part of a path.',
  );
}
