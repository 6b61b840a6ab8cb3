// Holds what one GraphQL operation needs: its calls, warnings, cost and end, and the loaders that fetch its objects in batches.
import DataLoader from 'dataloader';
import type { Batch, ObservedOperation, Observer } from '../observer.ts';
import { type Abortable, EarlyEnd } from '../upstream/abortable.ts';
import type { Action } from '../upstream/description/description.ts';
import { isMissing, UpstreamProtocolError } from '../upstream/errors.ts';
import type { ActionClient } from '../upstream/http/action-client.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { isObject, type JsonObject } from '../upstream/json.ts';
import type { ReadResult } from './additions.ts';
import { Entity, valuesOf } from './entity.ts';
import { NotOfferedError, type Warning } from './errors.ts';
import { checkIds, type Identity, type Ids, pathIdsOf } from './identity.ts';
import { OperationCalls, type ReasonedRead } from './operation-calls.ts';
import { type CallReason, type IncludeNeeds, OperationCost } from './operation-cost.ts';
import type { SharedState } from './shared-state.ts';

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

/** One GraphQL operation of one caller with its loaders and calls. It is not shared and not kept after the operation. */
export class Operation {
  readonly caller: Caller;
  /** Ends the operation early. */
  readonly end: EarlyEnd;
  readonly cost: OperationCost;
  readonly calls: OperationCalls;
  readonly #shared: SharedState;
  readonly #observed: ObservedOperation | null;
  readonly #loaders = new Map<Identity, ObjectLoader>();
  readonly #warnings = new Map<string, Warning>();

  /**
   * @param leaving Aborts when the client leaves.
   * @param observed What its calls are reported for.
   */
  constructor(
    client: ActionClient,
    caller: Caller,
    shared: SharedState,
    leaving?: Abortable,
    observed: ObservedOperation | null = null,
  ) {
    this.#observed = observed;
    this.#shared = shared;
    this.caller = caller;
    this.cost = new OperationCost(shared.limits, caller.credential === null);
    this.end = new EarlyEnd(leaving);
    const { cost, end } = this;
    const onWritten = (): void => this.forgetReads();
    this.calls = new OperationCalls({ client, caller, shared, cost, end, cause: observed, onWritten });
  }

  /** Aborts when the client leaves, when the time of the operation is over, or when the facade closes. */
  get signal(): Abortable {
    return this.end.aborted;
  }

  /** Whether a write was sent. Its result cannot be requested again. */
  get hasWritten(): boolean {
    return this.calls.hasWritten;
  }

  /** Begins the next event of a subscription, with reads and a budget of its own. */
  beginEvent(): void {
    this.forgetReads();
    this.cost.renew();
  }

  /** Drops all reads of this operation, so that equal ones are made again. */
  forgetReads(): void {
    this.calls.clear();
    this.#loaders.clear();
  }

  /** The warnings, in the order of first occurrence: one for each pair of code and field. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings.values()];
  }

  /** @param details Replaces the details of an earlier warning with the same code and field. */
  warn(code: Warning['code'], coordinate: string, details?: Warning['details']): void {
    const key = `${code} ${coordinate}`;
    const count = (this.#warnings.get(key)?.count ?? 0) + 1;
    this.#warnings.set(key, { code, coordinate, count, ...(details ? { details } : {}) });
  }

  /** @throws NotOfferedError when the description has no `show`. */
  #loaderOf(identity: Identity): ObjectLoader {
    const { show, path } = identity;
    if (show === null) throw new NotOfferedError(path.join('.'));
    let loader = this.#loaders.get(identity);
    if (loader === undefined) {
      loader = new ObjectLoader(show, this.calls.read, this.#observed, this.#shared.observer);
      this.#loaders.set(identity, loader);
    }
    return loader;
  }

  /**
   * Fetches the missing values of an object, unless `show` is known not to send them or has answered the object. A value that `show`
   * does not send has a warning. A failure is recorded in the object, which throws it at the first read of a missing value. Never rejects.
   */
  async complete(entity: Entity, request: CompletionRequest): Promise<void> {
    if (entity.source !== 'show') {
      const { sent } = this.#shared;
      const names = request.shown.flatMap(({ parameter }) => (entity.has(parameter) ? [] : [parameter]));
      const show = this.#showKey(entity.identity);
      const has = names.length === 0 ? '' : valuesOf(entity);
      if (names.length === 0 || names.some((name) => !sent.isUnsent(show, has, name)))
        try {
          const { output } = await this.#load(entity.identity, entity.requireIds(), request, 'VALUES');
          entity.complete(output);
          sent.recordMissing(show, has, names, output);
          sent.record(show, output);
        } catch (error) {
          entity.fail(error);
          return;
        }
    }
    this.#warnOfUnsent(entity, request);
  }

  #warnOfUnsent(entity: Entity, { shown }: CompletionRequest): void {
    for (const { parameter, coordinate } of shown)
      if (!entity.has(parameter)) this.warn('FIELD_NOT_SENT', coordinate);
  }

  /**
   * Fetches an object again by its ids. Null when the API answers that it does not exist.
   * @throws NotOfferedError when the description has no `show`, UpstreamError when the call fails.
   */
  async reload(entity: Entity, request: CompletionRequest): Promise<Entity | null> {
    try {
      return await this.read(entity.identity, entity.requireIds(), request);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * Reads an object by its ids.
   * @throws NotOfferedError when the description has no `show`, UpstreamError when the call fails.
   */
  async read(identity: Identity, ids: Ids, request: CompletionRequest): Promise<Entity> {
    const { output, meta } = await this.#load(identity, ids, request, 'OBJECT');
    this.#shared.sent.record(this.#showKey(identity), output);
    const entity = new Entity(identity, 'show', output, { meta, pathIds: pathIdsOf(identity, ids) });
    this.#warnOfUnsent(entity, request);
    return entity;
  }

  /** @throws NotOfferedError when the description has no `show`; InvalidInputError when an id cannot be sent. */
  #load(
    identity: Identity,
    ids: Ids,
    request: CompletionRequest,
    reason: 'OBJECT' | 'VALUES',
  ): Promise<ShowResult> {
    const loaded = this.#loaderOf(identity).load(ids, request, reason);
    if (request.includes.length === 0) return loaded;
    return loaded.then((shown) => {
      if (shown.lacksIncludes) this.warn('INCLUDES_UNAVAILABLE', request.coordinate);
      return shown;
    });
  }

  /** Distinguishes the `show` of a caller in `SentValues`. */
  #showKey({ show }: Identity): string {
    return `${this.caller.key} ${show?.scope}`;
  }
}

/** The response of `show` for one object. */
interface ShowResult extends ReadResult {
  readonly output: JsonObject;
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
class ObjectLoader {
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
      (result) =>
        hasObject(result)
          ? result
          : new UpstreamProtocolError('The management API answered with something other than one object.', {
              action: action.scope,
            }),
      (error: Error) => error,
    );
  }
}

const hasObject = (result: ReadResult): result is ShowResult => isObject(result.output);
