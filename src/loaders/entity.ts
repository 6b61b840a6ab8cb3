import { UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import { type Identity, type Ids, idsOf, type PathIds, pathIdsOf, toGlobalId } from './identity.ts';

/** Where an object's values come from: an association's id and label only, a row of a list, or its `show`. */
export type EntitySource = 'association' | 'row' | 'show';

/** One object of the upstream, as far as this operation knows it. */
export class Entity {
  readonly identity: Identity;
  /** Null when neither the answer nor the way to it tells the object's ids. */
  readonly ids: Ids | null;
  /** Key of the object's own id in `values`. */
  readonly idKey: string;
  /** The label that the association to it carried; undefined where none came. */
  readonly label: unknown;
  #values: JsonObject;
  #source: EntitySource;
  #failure: { readonly error: unknown; told: boolean } | null = null;

  constructor(
    identity: Identity,
    source: EntitySource,
    values: JsonObject,
    options: {
      readonly meta?: unknown;
      readonly pathIds?: PathIds;
      readonly idKey?: string;
      readonly label?: unknown;
    } = {},
  ) {
    this.identity = identity;
    this.label = options.label;
    this.idKey = options.idKey ?? 'id';
    this.ids = idsOf(identity, values, options.meta, options.pathIds ?? new Map(), this.idKey);
    this.#source = source;
    this.#values = values;
  }

  get source(): EntitySource {
    return this.#source;
  }

  /** What is known of it, by upstream name. */
  get values(): JsonObject {
    return this.#values;
  }

  /** Ids by placeholder, for what is asked of this object next. */
  get pathIds(): PathIds {
    return this.ids === null ? new Map() : pathIdsOf(this.identity, this.ids);
  }

  /** The object's global id. @throws UpstreamProtocolError when the answer does not tell which object it is. */
  get globalId(): string {
    return toGlobalId(this.identity, this.requireIds());
  }

  /** The upstream's own id as it came, or undefined where the object has none. */
  get rawId(): unknown {
    return this.identity.idPlaceholder === null ? undefined : (this.#values[this.idKey] ?? this.ids?.at(-1));
  }

  /** @throws UpstreamProtocolError when the ids are not known. */
  requireIds(): Ids {
    if (this.ids !== null) return this.ids;
    throw new UpstreamProtocolError(
      `An object of ${this.identity.path.join('.')} came without the ids that its path needs (${this.identity.placeholders.join(', ')}).`,
    );
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /**
   * A described value; null when the upstream left it out. When the object could not be fetched, the first value that
   * is missing for it throws the error and the others are null: one error an object.
   */
  value(name: string): unknown {
    if (this.has(name)) return this.#values[name] ?? null;
    if (this.#failure !== null && !this.#failure.told) {
      this.#failure.told = true;
      throw this.#failure.error;
    }
    return null;
  }

  /** Adds what `show` answered. */
  complete(values: JsonObject): void {
    this.#values = { ...this.#values, ...values };
    this.#source = 'show';
  }

  fail(error: unknown): void {
    this.#failure = { error, told: false };
  }
}

/** What an association's value says (see UPSTREAM: Responses). */
export type Association =
  | { readonly kind: 'none' }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'entity'; readonly entity: Entity };

/** How an association stands in its holder's values. */
export interface AssociationShape {
  /** Keys of the referred object's id and label. */
  readonly valueId: string;
  readonly valueLabel: string;
  readonly metaNamespace: string;
  /** Ids of the parents that the referred object shares with its holder. */
  readonly pathIds: PathIds;
}

/** Reads an association: unset, hidden from the caller, its id and label, or (with `includes`) the whole object. */
export function readAssociation(
  value: unknown,
  identity: Identity,
  { valueId, valueLabel, metaNamespace, pathIds }: AssociationShape,
): Association {
  if (value === null || value === undefined) return { kind: 'none' };
  if (!isObject(value)) {
    throw new UpstreamProtocolError(
      `An association to ${identity.path.join('.')} came as something else than an object.`,
    );
  }
  const { [metaNamespace]: meta, ...values } = value;
  if (isObject(meta) && meta['authorized'] === false) return { kind: 'hidden' };
  const resolved = isObject(meta) && meta['resolved'] === true;
  const idKey = resolved && 'id' in values ? 'id' : valueId;
  const label = values[valueLabel];
  const options = { meta, idKey, label, pathIds };
  return { kind: 'entity', entity: new Entity(identity, resolved ? 'show' : 'association', values, options) };
}
