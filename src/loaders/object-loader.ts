// Fetches single objects of one resource, batched with DataLoader, and remembers which values `show` does not send.
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Batch, ObservedOperation, Observer } from '../observer.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { Action } from '../upstream/description/description.ts';
import { UpstreamProtocolError } from '../upstream/errors.ts';
import { isObject, type JsonObject } from '../upstream/json.ts';
import type { Entity } from './entity.ts';
import { checkIds, type Ids } from './identity.ts';
import type { ReasonedRead } from './operation-calls.ts';
import type { CallReason, IncludeNeeds } from './operation-cost.ts';

/** The response of `show` for one object. */
export interface ShowResult {
  readonly values: JsonObject;
  readonly meta: JsonObject;
  /** Set when requested associations could not be included. */
  readonly lacksIncludes?: true;
}

/** A selected value of an object. */
export interface ShownValue {
  /** The output parameter. */
  readonly parameter: string;
  /** Coordinate of its field, e.g. `Book.title`. */
  readonly coordinate: string;
}

/** What the selected fields of an object need. */
export interface CompletionRequest {
  /** Associations whose values beyond id and label are needed, e.g. `author`, `shelf__room`. */
  readonly includes: readonly string[];
  /** Coordinate of the field for warnings, e.g. `Query.book`. */
  readonly coordinate: string;
  /** Selected output parameters of the object. */
  readonly parameters: ReadonlySet<string>;
  /** Selected output parameters of the associations. */
  readonly needs: IncludeNeeds;
  /** The values that `show` answers according to its description. */
  readonly shown: readonly ShownValue[];
}

/** One object, and what the fields of the operation need of it, from the first request for it until its call. */
interface Wanted {
  readonly key: string;
  readonly ids: Ids;
  readonly includes: Set<string>;
  readonly fields: Set<string>;
  readonly reason: CallReason;
}

/** All objects of one resource have the same number of ids. */
const keyOf = (ids: Ids): string => (ids.length === 1 ? (ids[0] ?? '') : JSON.stringify(ids));

/** Fetches objects of one resource by their ids, each at most once in an operation. A failed call fails its object only. */
export class ObjectLoader {
  readonly #show: Action;
  readonly #read: ReasonedRead;
  readonly #observed: ObservedOperation | null;
  readonly #observer: Observer;
  readonly #wanted = new Map<string, Wanted>();
  // The upstream answers one object per call. Batching merges the includes that different fields need of one object.
  readonly #loader = new DataLoader<Wanted, ShowResult, string>((batch) => this.#fetchBatch(batch), {
    cacheKeyFn: ({ key }) => key,
  });

  /** @param observed The operation for which batches are reported. */
  constructor(show: Action, read: ReasonedRead, observed: ObservedOperation | null, observer: Observer) {
    this.#show = show;
    this.#read = read;
    this.#observed = observed;
    this.#observer = observer;
  }

  /** @param request Requests for the same object in the same tick are merged into one call. */
  load(
    ids: Ids,
    { includes, coordinate, parameters, needs }: CompletionRequest,
    purpose: 'OBJECT' | 'VALUES',
  ): Promise<ShowResult> {
    const key = keyOf(ids);
    let wanted = this.#wanted.get(key);
    if (wanted === undefined) {
      const reason = { reason: purpose, fields: [], values: parameters, includes: needs };
      wanted = { key, ids: checkIds(ids), includes: new Set(), fields: new Set(), reason };
      this.#wanted.set(key, wanted);
    }
    for (const include of includes) wanted.includes.add(include);
    wanted.fields.add(coordinate);
    return this.#loader.load(wanted);
  }

  #fetchBatch(batch: readonly Wanted[]): Promise<(ShowResult | Error)[]> {
    const cause: Batch = { cause: this.#observed, action: this.#show.scope, size: batch.length };
    const end = this.#observer.batch?.(cause);
    const results = Promise.all(batch.map((wanted) => this.#fetch(wanted, cause)));
    return end === undefined ? results : results.finally(end);
  }

  #fetch({ ids, includes: wanted, fields, reason }: Wanted, cause: Batch): Promise<ShowResult | Error> {
    const action = this.#show;
    const includes = [...wanted].sort().join(',');
    const meta = includes !== '' && action.metaInput.has('includes') ? { includes } : {};
    return this.#read({ action, path: ids, input: {}, meta }, { ...reason, fields: [...fields] }, cause).then(
      ({ output: values, meta: objectMeta, lacksIncludes }) =>
        isObject(values)
          ? { values, meta: objectMeta, ...(lacksIncludes ? { lacksIncludes } : {}) }
          : new UpstreamProtocolError('The management API answered with something other than one object.', {
              action: action.scope,
            }),
      (error: Error) => error,
    );
  }
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
