// Defines an upstream object with the values that an operation has read, parses associations, and remembers which values `show` does not send.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { UpstreamProtocolError } from '../upstream/errors.ts';
import { isObject, type JsonObject } from '../upstream/json.ts';
import { type Identity, type Ids, idsOf, NO_PATH_IDS, type PathIds, toGlobalId } from './identity.ts';

/** The source of an object's values: an association with its id and label only, a row of a list, or the `show` action. */
export type EntitySource = 'association' | 'row' | 'show';

/** What is known of an object besides its values. */
interface EntityOptions {
  readonly meta?: unknown;
  /** Ids of the parents. */
  readonly pathIds?: PathIds;
  /** Key of the object's id. Default: that of the identity. */
  readonly idKey?: string;
  readonly label?: unknown;
}

/** One upstream object with the values that the current operation has read. */
export class Entity {
  readonly identity: Identity;
  /** Key of the object's id in `values`. */
  readonly idKey: string;
  /** The label from the association that referred to the object; undefined where there is none. */
  readonly label: unknown;
  /** The values of the response in which the object was read, which determine its ids. */
  readonly #response: JsonObject;
  /** The values that `show` answered, which are newer; null before. */
  #shown: JsonObject | null = null;
  readonly #meta: unknown;
  readonly #parentIds: PathIds;
  #source: EntitySource;
  #failure: { readonly error: unknown; isReported: boolean } | null = null;

  constructor(
    identity: Identity,
    source: EntitySource,
    values: JsonObject,
    { meta, pathIds = NO_PATH_IDS, idKey = identity.idParameter, label }: EntityOptions = {},
  ) {
    this.identity = identity;
    this.label = label;
    this.idKey = idKey;
    this.#response = values;
    this.#meta = meta;
    this.#parentIds = pathIds;
    this.#source = source;
  }

  /**
   * Null when neither the response nor the ids of the parents determine the object's ids. They are determined at each use,
   * because most objects of a large result need them once or never.
   */
  get ids(): Ids | null {
    return idsOf(this.identity, this.#response, this.#meta, this.#parentIds, this.idKey);
  }

  get source(): EntitySource {
    return this.#source;
  }

  /** The known values, by upstream name. */
  get values(): JsonObject {
    return this.#shown === null ? this.#response : { ...this.#response, ...this.#shown };
  }

  /** @throws UpstreamProtocolError when the ids are not known. */
  get globalId(): string {
    return toGlobalId(this.identity, this.requireIds());
  }

  /** The upstream's id with its JSON type; undefined where the object has none. */
  get rawId(): unknown {
    return this.identity.idPlaceholder === null
      ? undefined
      : (this.#valuesWith(this.idKey)?.[this.idKey] ?? this.ids?.at(-1));
  }

  /** @throws UpstreamProtocolError when the ids are not known. */
  requireIds(): Ids {
    const { ids } = this;
    if (ids !== null) return ids;
    throw new UpstreamProtocolError(
      `An object of ${this.identity.path.join('.')} lacks the ids that its path needs (${this.identity.placeholders.join(', ')}).`,
    );
  }

  has(name: string): boolean {
    return this.#valuesWith(name) !== null;
  }

  /** The newest values that have a name; null when none have it. */
  #valuesWith(name: string): JsonObject | null {
    if (this.#shown !== null && Object.hasOwn(this.#shown, name)) return this.#shown;
    return Object.hasOwn(this.#response, name) ? this.#response : null;
  }

  /**
   * Returns a described value; null when the upstream omitted it. When the object could not be fetched, the first read of a
   * missing value throws the error and later ones return null, so that each object has one error.
   */
  value(name: string): unknown {
    const values = this.#valuesWith(name);
    if (values !== null) return values[name] ?? null;
    if (this.#failure?.isReported === false) this.#throwFailure(this.#failure);
    return null;
  }

  /** Returns a described value as `value` does. When the object could not be fetched, each read of a missing value throws the error. */
  requiredValue(name: string): unknown {
    if (!this.has(name) && this.#failure !== null) this.#throwFailure(this.#failure);
    return this.value(name);
  }

  #throwFailure(failure: { readonly error: unknown; isReported: boolean }): never {
    failure.isReported = true;
    throw failure.error;
  }

  /** Adds the values that `show` answered. */
  complete(values: JsonObject): void {
    this.#shown = this.#shown === null ? values : { ...this.#shown, ...values };
    this.#source = 'show';
  }

  /** Records that the object could not be fetched. */
  fail(error: unknown): void {
    this.#failure = { error, isReported: false };
  }
}

/** A parsed association (docs/protocol.md: Responses). `hidden`: the caller must not see the associated object. */
export type Association =
  | { readonly kind: 'none' }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'entity'; readonly entity: Entity };

/** How the values of an object contain an association. */
interface AssociationShape {
  /** Keys of the associated object's id and label. */
  readonly valueId: string;
  readonly valueLabel: string;
  readonly metaNamespace: string;
  /** Ids of the parents that the associated object shares with the object that refers to it. */
  readonly pathIds: PathIds;
}

/**
 * Parses the value of an association. With `includes` the associated object is complete, otherwise it has its id and label.
 * @throws UpstreamProtocolError when the value is neither an object nor null.
 */
export function readAssociation(
  value: unknown,
  identity: Identity,
  { valueId, valueLabel, metaNamespace, pathIds }: AssociationShape,
): Association {
  if (value === null || value === undefined) return { kind: 'none' };
  if (!isObject(value)) {
    throw new UpstreamProtocolError(
      `The management API answered with an association to ${identity.path.join('.')} that is not an object.`,
    );
  }
  const meta = value[metaNamespace];
  if (isObject(meta) && meta['authorized'] === false) return { kind: 'hidden' };
  const resolved = isObject(meta) && meta['resolved'] === true;
  const { idParameter } = identity;
  const idKey = resolved && Object.hasOwn(value, idParameter) ? idParameter : valueId;
  const options = { meta, idKey, label: value[valueLabel], pathIds };
  return { kind: 'entity', entity: new Entity(identity, resolved ? 'show' : 'association', value, options) };
}

/** Values that are remembered, and the time for which one is, in milliseconds. It is short because the server may be changed. */
const MAX_VALUES = 10_000;
const REMEMBERED_FOR = 10 * 60_000;

/**
 * The values that the `show` actions of callers send. What one does not send for one object counts for all that lacked the same values
 * before, until it sends the value for any object. A key of `show` contains the caller, whose rights and rows say nothing about another's.
 */
export class SentValues {
  readonly #unsent = createCache();
  readonly #sent = createCache();

  /** @param has The values that the object has, see `valuesOf`. */
  isUnsent(show: string, has: string, name: string): boolean {
    return this.#unsent.has(`${show} ${name} ${has}`) && !this.#sent.has(`${show} ${name}`);
  }

  /** Records which of the missing values of an object `show` has not answered. */
  recordMissing(show: string, has: string, missing: readonly string[], values: JsonObject): void {
    for (const name of missing)
      if (!Object.hasOwn(values, name)) this.#unsent.set(`${show} ${name} ${has}`, true);
  }

  /** Records what `show` has answered for an object. */
  record(show: string, values: JsonObject): void {
    if (this.#unsent.size === 0) return;
    for (const name of Object.keys(values)) this.#sent.set(`${show} ${name}`, true);
  }
}

const createCache = () =>
  new LRUCache<string, true>({ ...atMost(MAX_VALUES), ...expireAfter(REMEMBERED_FOR) });

/** One digit for each value that `show` describes, in the order of the description: 1 if the object has it, else 0. */
export const valuesOf = (entity: Entity): string =>
  (entity.identity.show?.output.parameters ?? []).map(({ name }) => Number(entity.has(name))).join('');
