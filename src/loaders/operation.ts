// Holds what one GraphQL operation needs: its reads, writes, loaders, warnings and cost.
import pLimit from 'p-limit';
import type { Batch, CallCause, ObservedOperation, Observer } from '../telemetry/observer.ts';
import { NotOfferedError } from '../upstream/errors/request-errors.ts';
import { isMissing, isOutcomeUnknown, OutcomeUnknownError } from '../upstream/errors/upstream-errors.ts';
import type { ActionCall, ActionClient, ActionResult } from '../upstream/http/action-client.ts';
import {
  type CallMeter,
  type CallPlace,
  sendMetered,
  withSendingNotice,
} from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { BoundedMatcher } from '../upstream/validation/bounded-matcher.ts';
import { Entity } from './entity.ts';
import { type Identity, type Ids, pathIdsOf } from './identity.ts';
import { type IncludeRequest, ObjectLoader, type ShowResult } from './object-loader.ts';
import { OperationCost, type UpstreamLimits } from './operation-cost.ts';
import { OperationEnd } from './operation-end.ts';
import type { RecentRows } from './paging/cache/recent-rows.ts';
import type { Read } from './read.ts';
import type { Shutdown } from './shutdown.ts';
import type { ReadResult, UnavailableIncludes } from './unavailable-includes.ts';
import { type Warning, Warnings } from './warnings.ts';

/** Options for a request to another service, such as the snippet service. */
export interface Sending {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** What needs the request, for telemetry. */
  readonly cause: ObservedOperation | null;
  /** Must be called when the request is sent. */
  readonly onSent: () => void;
}

/** State that is shared between operations. */
export interface OperationMemory {
  /** Rows of lists that callers read page by page. */
  readonly recentRows: RecentRows;
  /** Includes that make the upstream fail. */
  readonly includes: UnavailableIncludes;
  /** Limits of each operation. */
  readonly limits: UpstreamLimits;
  /** Waits for the writes of operations. */
  readonly shutdown: Shutdown;
  readonly observer: Observer;
}

/** Maximum number of concurrent calls of one operation; further calls wait. */
const MAX_CONCURRENT_CALLS = 32;

/** One GraphQL operation of one caller with its loaders and calls. It is not shared and not kept after the operation. */
export class Operation {
  readonly caller: Caller;
  /** Whether the operation is to end early. */
  readonly end: OperationEnd;
  readonly cost: OperationCost;
  /** Matches the regular expressions of described rules in all inputs. */
  readonly matcher = new BoundedMatcher();
  /** Rows of lists that callers read page by page, shared between operations. */
  readonly recentRows: RecentRows;
  /** Whether a write was sent. Its result cannot be requested again. */
  hasWritten = false;
  readonly #client: ActionClient;
  readonly #observed: ObservedOperation | null;
  readonly #includes: UnavailableIncludes;
  readonly #shutdown: Shutdown;
  readonly #observer: Observer;
  readonly #limit = pLimit(MAX_CONCURRENT_CALLS);
  readonly #reads = new Map<string, Promise<ReadResult>>();
  readonly #loaders = new Map<Identity, ObjectLoader>();
  readonly #warnings = new Warnings();

  /**
   * @param leaving Aborts when the client leaves.
   * @param observed What its calls are reported for.
   */
  constructor(
    client: ActionClient,
    caller: Caller,
    sharedState: OperationMemory,
    leaving?: AbortSignal,
    observed: ObservedOperation | null = null,
  ) {
    this.#observed = observed;
    this.#client = client;
    this.#includes = sharedState.includes;
    this.#shutdown = sharedState.shutdown;
    this.#observer = sharedState.observer;
    this.recentRows = sharedState.recentRows;
    this.caller = caller;
    this.cost = new OperationCost(sharedState.limits, caller.credential === null);
    this.end = new OperationEnd(leaving);
  }

  readonly read: Read = async (requested, batch) => {
    const call = this.#includes.withoutFailing(requested, this.caller.key);
    const key = JSON.stringify([call.action.scope, call.path, call.input, call.meta]);
    const shared = this.#reads.get(key);
    if (shared !== undefined) this.cost.shared();
    const reading =
      shared ?? this.#limit(() => this.#untilEnd(() => this.#sendRead(call, batch ?? this.#observed)));
    this.#reads.set(key, reading);
    const result = await reading;
    return call === requested ? result : { ...result, lacksIncludes: true };
  };

  /** Aborts when the client leaves, when the time of the operation is over, or when the facade closes. */
  get signal(): AbortSignal {
    return this.end.aborted;
  }

  /** Makes a read, or throws why the operation has ended. */
  async #untilEnd<T>(read: () => Promise<T>): Promise<T> {
    try {
      this.signal.throwIfAborted();
      return await read();
    } catch (error) {
      // The aborted request fails in several ways, none of which tells why.
      this.signal.throwIfAborted();
      throw error;
    }
  }

  #sendRead(call: ActionCall, cause: CallCause | null): Promise<ReadResult> {
    return this.#includes.read(call, this.caller.key, async (sent) => {
      this.cost.reserve(sent.action.scope);
      return await this.#client.call(sent, this.caller, {
        isRead: true,
        signal: this.signal,
        meter: this.cost,
        cause,
      });
    });
  }

  /**
   * Returns a read function that warns about the field when associations could not be included.
   * @param coordinate Coordinate of the field, e.g. `Query.books`.
   */
  readFor(coordinate: string): Read {
    return async (call, batch) => {
      const result = await this.read(call, batch);
      if (result.lacksIncludes) this.warn('INCLUDES_UNAVAILABLE', coordinate);
      return result;
    };
  }

  /**
   * Calls a writing action, unless the operation has ended. A call under way is neither coalesced nor aborted. Earlier reads are
   * dropped, because the write may have changed them.
   * @throws OutcomeUnknownError when the request was sent but no response shows whether it was carried out.
   */
  write(call: ActionCall): Promise<ActionResult> {
    return this.#runWrite(call.action.scope, (meter) =>
      this.#client.call(call, this.caller, {
        startSignal: this.end.closing,
        meter,
        cause: this.#observed,
      }),
    );
  }

  /** Makes a counted reading call of another service, within the limit of concurrent calls. */
  runRead<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    const read = async (): Promise<R> => {
      this.cost.reserve(place.action);
      return await sendMetered(this.cost, place, (onSent) =>
        send({ signal: this.signal, cause: this.#observed, onSent }),
      );
    };
    return this.#limit(() => this.#untilEnd(read));
  }

  /** Makes a writing call of another service, as `write` does. @throws OutcomeUnknownError as `write` does. */
  runWrite<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    return this.#runWrite(place.action, (meter) =>
      sendMetered(meter, place, (onSent) => send({ cause: this.#observed, onSent })),
    );
  }

  async #runWrite<R>(action: string, send: (meter: CallMeter) => Promise<R>): Promise<R> {
    const { closing } = this.end;
    closing.throwIfAborted();
    this.cost.reserve(action);
    const leave = this.#shutdown.writes.enter();
    let wasSent = false;
    const meter = withSendingNotice(this.cost, () => {
      wasSent = true;
      this.hasWritten = true;
    });
    try {
      return await send(meter);
    } catch (error) {
      throw wasSent && isOutcomeUnknown(error)
        ? new OutcomeUnknownError(
            'The call was sent, but no response shows whether it was carried out; check before you repeat it.',
            { action, status: error.status },
            { cause: error.code },
          )
        : error;
    } finally {
      leave();
      this.reset();
    }
  }

  /** Begins the next event of a subscription, with reads and a budget of its own. */
  beginEvent(): void {
    this.reset();
    this.cost.renew();
  }

  /** Drops all reads of this operation and the caller's rows of earlier ones. */
  reset(): void {
    this.recentRows.drop(this.caller.key);
    this.#reads.clear();
    this.#loaders.clear();
  }

  /** One warning for each pair of code and field, in the order of first occurrence. */
  get warnings(): readonly Warning[] {
    return this.#warnings.list;
  }

  /** @param details Replaces the details of an earlier warning with the same code and field. */
  warn(code: Warning['code'], coordinate: string, details?: Warning['details']): void {
    this.#warnings.add(code, coordinate, details);
  }

  /** The loader of a resource's objects; null where the caller's description has no `show`. */
  loader(identity: Identity): ObjectLoader | null {
    if (identity.show === null) return null;
    const loader =
      this.#loaders.get(identity) ??
      new ObjectLoader(identity.show, this.read, {
        onMissingIncludes: (coordinate) => this.warn('INCLUDES_UNAVAILABLE', coordinate),
        beginBatch: (action, size) => {
          const cause: Batch = { cause: this.#observed, action, size };
          const end = this.#observer.batch?.(cause);
          return { cause, end: () => end?.() };
        },
      });
    this.#loaders.set(identity, loader);
    return loader;
  }

  /** Primes the loader with an object that another response contained completely. */
  prime(entity: Entity): void {
    const { show } = entity.identity;
    if (show === null || entity.ids === null || entity.source === 'association') return;
    if (!show.output.parameters.every(({ name }) => entity.has(name))) return;
    this.loader(entity.identity)?.prime(entity.ids, { values: entity.values, meta: {} });
  }

  /**
   * Fetches the missing values of an object. A failure is recorded in the object, which throws it at the first read of a
   * missing value. Never rejects.
   */
  async complete(entity: Entity, request: IncludeRequest): Promise<void> {
    try {
      const { values } = await this.#load(entity.identity, entity.requireIds(), request);
      entity.complete(values);
    } catch (error) {
      entity.fail(error);
    }
  }

  /**
   * Fetches an object again by its ids. Null when the API answers that it does not exist.
   * @throws NotOfferedError when the description has no `show`, UpstreamError when the call fails.
   */
  async reload(entity: Entity, request: IncludeRequest): Promise<Entity | null> {
    const { identity } = entity;
    const ids = entity.requireIds();
    try {
      const { values, meta } = await this.#load(identity, ids, request);
      return new Entity(identity, 'show', values, { meta, pathIds: pathIdsOf(identity, ids) });
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #load(identity: Identity, ids: Ids, request: IncludeRequest): Promise<ShowResult> {
    const loader = this.loader(identity);
    if (loader === null) throw new NotOfferedError(identity.path.join('.'));
    return loader.load(ids, request);
  }
}
