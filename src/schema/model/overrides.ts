// Reads the overrides: facts about one API that its description does not contain.
import * as z from 'zod';
import type { ListOrder } from '../../loaders/paging/list.ts';
import { OptiongraphError } from '../../upstream/errors.ts';

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
}

/** Says that a text names the resource of an object. */
export interface NamedReference {
  /** The output parameter with the text. */
  readonly namedBy: string;
}

const COORDINATE = /^\w+(?:\.\w+(?:\(\w+:\))?)?$/;
const NAME = /^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/;

const mapOf = (value: z.ZodType) => z.record(z.string(), value, 'expected an object');
const listOfStrings = z.array(z.string(), 'expected a list of strings');
const name = z.custom((value) => typeof value === 'string' && NAME.test(value), {
  error: ({ input }) => `expected a GraphQL name, not ${JSON.stringify(input)}`,
});
const names = z.record(z.string().regex(COORDINATE), name, {
  error: ({ code, input }) =>
    code === 'invalid_key'
      ? `${JSON.stringify(input)} is no coordinate such as "Type", "Type.field", "Type.field(argument:)" or "Enum.VALUE"`
      : 'expected an object',
});

const READERS: Readonly<Record<keyof Overrides, z.ZodType>> = {
  names,
  queries: listOfStrings,
  mutations: listOfStrings,
  listOrder: mapOf(z.enum(['ascending', 'descending', 'none'], 'expected ascending, descending or none')),
  pathIds: mapOf(z.string('expected the name of an output parameter')),
  references: mapOf(
    z.union([z.string(), z.literal(false), z.object({ namedBy: z.string() })], {
      error: 'expected a resource path, an object with "namedBy" (the name of an output parameter), or false',
    }),
  ),
  dropEdges: listOfStrings,
  nonNull: mapOf(z.boolean('expected true or false')),
  enumValues: mapOf(listOfStrings),
  bigInts: listOfStrings,
  descriptions: mapOf(z.string('expected a text').min(1, 'expected a text')),
  deprecated: mapOf(z.string('expected a reason').min(1, 'expected a reason')),
  actionStateResources: listOfStrings,
};

const OVERRIDES = z
  .strictObject(READERS, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `unknown key ${JSON.stringify(keys)}; the known keys are ${Object.keys(READERS).join(', ')}`
        : 'expected an object',
  })
  .partial();

/**
 * Reads overrides from JSON.
 * @throws TypeError that names each unknown key, and each invalid value with what is expected.
 */
export function parseOverrides(raw: unknown): Overrides {
  const { data, error } = OVERRIDES.safeParse(raw);
  if (error === undefined) return data as Overrides;
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'overrides'}: ${message}`);
  throw new TypeError(problems.join('; '));
}

/** The overrides contradict the description. Thrown at start-up only, with all reasons. */
export class OverridesError extends OptiongraphError {
  override readonly code = 'OVERRIDES_INVALID';
}
