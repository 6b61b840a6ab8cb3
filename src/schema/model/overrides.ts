// Reads the overrides: facts about one API that its description does not contain.
import type { ListOrder } from '../../loaders/paging/list.ts';
import { isObject, isStringList, type JsonObject } from '../../upstream/json.ts';

/** Facts about one API that its description does not contain. All keys are optional. */
export interface Overrides {
  /**
   * Names of types, fields, arguments, input fields and enum values by the schema coordinate that they have without, e.g.
   * `{ "Author.booksByEditor": "editedBooks" }`. What is made of a resource follows the name of its type.
   */
  readonly names?: Readonly<Record<string, string>>;
  /** Scopes of actions that are queries, although their description implies a write. */
  readonly queries?: readonly string[];
  /** Scopes of actions that are mutations, although they are a GET with output. */
  readonly mutations?: readonly string[];
  /** Order of lists by scope: `ascending` or `descending` by ID, or `none` if paging by `from_id` loses rows. */
  readonly listOrder?: Readonly<Record<string, ListOrder>>;
  /** Output parameters that are the ID in the path of an object, by dotted resource path, e.g. `{ "shelf.slot": "number" }`. Default: `id`. */
  readonly pathIds?: Readonly<Record<string, string>>;
  /**
   * Of what an output is the id, by schema coordinate, e.g. `{ "Book.shelfNumber": "shelf" }`: the dotted path of a resource, or the
   * output whose text names the resource; false for nothing. Default: as the names of the outputs say.
   */
  readonly references?: Readonly<Record<string, string | false | NamedReference>>;
  /** Schema coordinates of reverse edges to omit, e.g. `Author.books`. */
  readonly dropEdges?: readonly string[];
  /**
   * Whether the API always answers a value or association, by schema coordinate, e.g. `{ "Book.title": true }`; null is then an
   * error. Default: as its output is described by `required`.
   */
  readonly nonNull?: Readonly<Record<string, boolean>>;
  /** Additional enum values that rows contain, by the name of the enum, e.g. `{ "BookState": ["lost"] }`. */
  readonly enumValues?: Readonly<Record<string, readonly string[]>>;
  /**
   * Integer parameters that may exceed 2^53−1, by the type of their resource and the field, e.g. `Shelf.size`. They are `BigInt` in
   * all inputs and outputs of the resource's actions. Default: those whose described bounds do.
   */
  readonly bigInts?: readonly string[];
  /** Descriptions of types, fields, input fields and enum values, by schema coordinate, e.g. `{ "Book.weight": "In grams." }`. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Why fields, input fields and enum values are deprecated, by schema coordinate. Default: as the description says. */
  readonly deprecated?: Readonly<Record<string, string>>;
  /** Dotted paths of resources that share the IDs of action states. `ActionState` gets a field for each. */
  readonly actionStateResources?: readonly string[];
  /**
   * Whether a resource is for debugging or internal use, and comes last in documentation, by dotted path. Default: as its name or
   * description says, or as the resource above it.
   */
  readonly internal?: Readonly<Record<string, boolean>>;
}

/** Says that a text names the resource of an object. */
export interface NamedReference {
  /** The output parameter with the text. */
  readonly namedBy: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOrder = (value: unknown): value is ListOrder =>
  value === 'ascending' || value === 'descending' || value === 'none';
const isReference = (value: unknown): value is string | false | NamedReference =>
  value === false || typeof (isObject(value) ? value['namedBy'] : value) === 'string';
/** Reads the value of one key. */
type Reader<T> = (raw: unknown, key: string) => T;

const readStrings: Reader<readonly string[]> = (raw, key) => {
  if (isStringList(raw)) return raw;
  throw new TypeError(`${key}: expected a list of strings`);
};

const readMap =
  <T>(guard: (value: unknown) => value is T, expected: string): Reader<Readonly<Record<string, T>>> =>
  (raw, key) => {
    const map: Record<string, T> = {};
    for (const [name, value] of Object.entries(readObject(raw, key))) {
      if (!guard(value)) throw new TypeError(`${key}.${name}: expected ${expected}`);
      map[name] = value;
    }
    return map;
  };

const COORDINATE = /^\w+(?:\.\w+(?:\(\w+:\))?)?$/;
const NAME = /^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/;

/** Reads names by coordinate. The error lists all that are wrong. */
function readNames(raw: unknown, key: string): Readonly<Record<string, string>> {
  const names = Object.entries(readObject(raw, key));
  const wrong = names.flatMap(([coordinate, name]) => {
    if (!COORDINATE.test(coordinate))
      return `${key}: ${JSON.stringify(coordinate)} is no coordinate such as "Type", "Type.field", "Type.field(argument:)" or "Enum.VALUE"`;
    const isName = typeof name === 'string' && NAME.test(name);
    return isName ? [] : `${key}.${coordinate}: expected a GraphQL name, not ${JSON.stringify(name)}`;
  });
  if (wrong.length > 0) throw new TypeError(wrong.join('; '));
  return Object.fromEntries(names) as Record<string, string>;
}

function readObject(raw: unknown, place: string): JsonObject {
  if (isObject(raw)) return { ...raw };
  throw new TypeError(`${place}: expected an object`);
}

const READERS: { readonly [Key in keyof Overrides]-?: Reader<Required<Overrides>[Key]> } = {
  names: readNames,
  queries: readStrings,
  mutations: readStrings,
  listOrder: readMap(isOrder, 'ascending, descending or none'),
  pathIds: readMap((value) => typeof value === 'string', 'the name of an output parameter'),
  references: readMap(
    isReference,
    'a resource path, an object with "namedBy" (the name of an output parameter), or false',
  ),
  dropEdges: readStrings,
  nonNull: readMap((value) => typeof value === 'boolean', 'true or false'),
  actionStateResources: readStrings,
  internal: readMap((value) => typeof value === 'boolean', 'true or false'),
  enumValues: readMap(isStringList, 'a list of strings'),
  bigInts: readStrings,
  descriptions: readMap(isText, 'a text'),
  deprecated: readMap(isText, 'a reason'),
};

/**
 * Reads overrides from JSON.
 * @throws TypeError when a key is unknown or a value is invalid. The message names the key and the expected value.
 */
export function parseOverrides(raw: unknown): Overrides {
  const readers = new Map<string, Reader<unknown>>(Object.entries(READERS));
  const entries = Object.entries(readObject(raw, 'overrides')).map(([key, value]) => {
    const read = readers.get(key);
    if (read !== undefined) return [key, read(value, key)] as const;
    const known = [...readers.keys()].join(', ');
    throw new TypeError(`overrides: unknown key ${JSON.stringify(key)}; the known keys are ${known}`);
  });
  return Object.fromEntries(entries);
}
