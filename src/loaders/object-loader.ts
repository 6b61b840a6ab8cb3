// Fetches single objects of one resource, batched with DataLoader, and remembers which values `show` does not send.
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Batch } from '../observer.ts';
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

/** The associations that a field needs together with an object. */
export interface IncludeRequest {
  /** Associations whose values beyond id and label are needed, e.g. `author`, `shelf__room`. */
  readonly includes: readonly string[];
  /** Coordinate of the field for warnings, e.g. `Query.book`. */
  readonly coordinate: string;
  /** Selected output parameters of the object. */
  readonly parameters: ReadonlySet<string>;
  /** Selected output parameters of the associations. */
  readonly needs: IncludeNeeds;
}

/** A selected value of an object. */
export interface ShownValue {
  /** The output parameter. */
  readonly parameter: string;
  /** Coordinate of its field, e.g. `Book.title`. */
  readonly coordinate: string;
}

/** What the selected fields of an object need. */
export interface CompletionRequest extends IncludeRequest {
  /** The values that `show` answers according to its description. */
  readonly shown: readonly ShownValue[];
}

/** What the fields of one object need, from the first request for it until its call. */
interface Wanted {
  readonly includes: Set<string>;
  readonly fields: Set<string>;
  readonly reason: CallReason;
}

/** What a loader reports. */
export interface LoaderListener {
  /** Called with the first known values of an object. */
  onObject(values: JsonObject): void;
  /** Called with the coordinate of each field whose associations could not be included. */
  onMissingIncludes(coordinate: string): void;
  /** Called when objects are fetched together. Returns the cause of their calls, and what is called at the end. */
  beginBatch(action: string, size: number): { readonly cause: Batch; end(): void };
}

/** All objects of one resource have the same number of ids. */
const keyOf = (ids: Ids): string => (ids.length === 1 ? (ids[0] ?? '') : JSON.stringify(ids));

/** Fetches objects of one resource by their ids, each at most once in an operation. A failed call fails its object only. */
export class ObjectLoader {
  readonly #show: Action;
  readonly #read: ReasonedRead;
  readonly #listener: LoaderListener;
  readonly #unprimed: (() => readonly Entity[])[];
  readonly #wanted = new Map<string, Wanted>();
  // The upstream answers one object per call. Batching merges the includes that different fields need of one object.
  readonly #loader: DataLoader<Ids, ShowResult, string>;

  /**
   * @param unprimed Functions that read the objects of other responses, which are not fetched if these contain them completely. Further ones
   *   may be added. They are called only when an object is loaded, which most operations never do.
   */
  constructor(
    show: Action,
    read: ReasonedRead,
    unprimed: (() => readonly Entity[])[],
    listener: LoaderListener,
  ) {
    this.#unprimed = unprimed;
    this.#show = show;
    this.#read = read;
    this.#listener = listener;
    this.#loader = new DataLoader((batch) => this.#fetchBatch(batch), {
      cacheKeyFn: keyOf,
    });
  }

  /** @param request Requests for the same object in the same tick are merged into one call. */
  load(ids: Ids, request: IncludeRequest, reason: 'OBJECT' | 'VALUES'): Promise<ShowResult> {
    const loading = this.#load(ids, request, reason);
    if (request.includes.length === 0) return loading;
    return loading.then((shown) => {
      if (shown.lacksIncludes) this.#listener.onMissingIncludes(request.coordinate);
      return shown;
    });
  }

  #primeComplete(): void {
    for (const entity of this.#unprimed.splice(0).flatMap((read) => read())) {
      const { ids, values } = entity;
      if (ids === null || entity.source === 'association') continue;
      if (this.#show.output.parameters.every(({ name }) => entity.has(name)))
        this.#loader.prime(ids, { values, meta: {} });
    }
  }

  #load(
    ids: Ids,
    { includes, coordinate, parameters, needs }: IncludeRequest,
    purpose: 'OBJECT' | 'VALUES',
  ): Promise<ShowResult> {
    this.#primeComplete();
    const key = keyOf(ids);
    let wanted = this.#wanted.get(key);
    if (wanted === undefined) {
      const reason = { reason: purpose, fields: [], values: parameters, includes: needs };
      wanted = { includes: new Set(), fields: new Set(), reason };
      this.#wanted.set(key, wanted);
    }
    for (const include of includes) wanted.includes.add(include);
    wanted.fields.add(coordinate);
    return this.#loader.load(ids);
  }

  #fetchBatch(batch: readonly Ids[]): Promise<(ShowResult | Error)[]> {
    const { cause, end } = this.#listener.beginBatch(this.#show.scope, batch.length);
    const results = batch.map((ids) => this.#fetch(ids, cause).catch((error: Error) => error));
    return Promise.all(results).finally(end);
  }

  async #fetch(ids: Ids, cause: Batch): Promise<ShowResult> {
    const action = this.#show;
    const { includes: wanted, fields, reason } = this.#wanted.get(keyOf(ids)) ?? NOTHING_WANTED;
    const includes = [...wanted].sort().join(',');
    const meta = includes !== '' && action.metaInput.has('includes') ? { includes } : {};
    const call = { action, path: checkIds(ids), input: {}, meta };
    const answer = await this.#read(call, { ...reason, fields: [...fields] }, cause);
    if (!isObject(answer.output)) {
      throw new UpstreamProtocolError('The management API answered with something other than one object.', {
        action: action.scope,
      });
    }
    const { output: values, meta: objectMeta, lacksIncludes } = answer;
    if (reason.reason === 'OBJECT') this.#listener.onObject(values);
    return { values, meta: objectMeta, ...(lacksIncludes ? { lacksIncludes } : {}) };
  }
}

const NOTHING_WANTED: Wanted = {
  includes: new Set(),
  fields: new Set(),
  reason: { reason: 'OBJECT', fields: [] },
};

/** Values that are remembered. */
const MAX_VALUES = 10_000;
/** Time for which one is remembered, in milliseconds. It is short because the server may be changed. */
const REMEMBERED_FOR = 10 * 60_000;

/** The action `show` of one caller: rights and rows of one caller say nothing about another's. */
export interface ShowOfCaller {
  /** Key of the caller. */
  readonly caller: string;
  /** Scope of the action. */
  readonly action: string;
}

/** Objects that lacked the same values before they were fetched. */
export interface ObjectKind extends ShowOfCaller {
  /** One digit for each described value, in the order of the description: 1 if they had it, else 0. */
  readonly has: string;
}

/** The values that `show` sends. What it does not send for one object of a kind counts for all, until it sends the value for any object. */
export class SentValues {
  readonly #unsent = createCache();
  readonly #sent = createCache();

  /** Whether `show` is known not to send a value for objects of a kind. */
  isUnsent(kind: ObjectKind, name: string): boolean {
    return this.#unsent.has(`${valueKey(kind, name)} ${kind.has}`) && !this.#sent.has(valueKey(kind, name));
  }

  /** Records what `show` has answered for an object. @param kind Undefined where it is not known what the object had before. */
  record(show: ShowOfCaller, values: JsonObject, missing: readonly string[], kind?: ObjectKind): void {
    if (kind !== undefined)
      for (const name of missing)
        if (!Object.hasOwn(values, name)) this.#unsent.set(`${valueKey(show, name)} ${kind.has}`, true);
    if (this.#unsent.size === 0) return;
    for (const name of Object.keys(values)) this.#sent.set(valueKey(show, name), true);
  }
}

const createCache = () =>
  new LRUCache<string, true>({ ...atMost(MAX_VALUES), ...expireAfter(REMEMBERED_FOR) });

const valueKey = ({ caller, action }: ShowOfCaller, name: string): string => `${caller} ${action} ${name}`;
