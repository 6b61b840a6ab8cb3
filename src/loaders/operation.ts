// Holds what one GraphQL operation needs: its reads, writes, loaders, warnings and cost.
import type { Batch, ObservedOperation } from '../telemetry/observer.ts';
import type { Abortable } from '../upstream/abortable.ts';
import { isMissing } from '../upstream/errors.ts';
import type { ActionCall, ActionClient, ActionResult } from '../upstream/http/action-client.ts';
import {
  type CallMeter,
  type CallPlace,
  sendMetered,
  withSendingNotice,
} from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { type MatchBudget, OPERATION_STEPS } from '../upstream/validation/regexp-parts.ts';
import type { CallReason } from './calls/call-reason.ts';
import type { CallSavings } from './calls/call-savings.ts';
import { OperationReads } from './calls/operation-reads.ts';
import { Completion, type CompletionRequest } from './completion.ts';
import { EarlyEnd } from './early-end.ts';
import { Entity } from './entity.ts';
import { isOutcomeUnknown, NotOfferedError, OutcomeUnknownError } from './errors.ts';
import { type Identity, type Ids, pathIdsOf } from './identity.ts';
import { type IncludeRequest, ObjectLoader, type ShowResult } from './object-loader.ts';
import { OperationCost } from './operation-cost.ts';
import type { RecentRows } from './paging/cache/recent-rows.ts';
import { EarlyPages } from './paging/early-pages.ts';
import type { Read, ReasonedRead } from './read.ts';
import type { SharedState } from './shared-state.ts';
import { type Warning, Warnings } from './warnings.ts';
import { IdWindows } from './windows/id-windows.ts';

/** Options for a request to another service, such as the snippet service. */
export interface Sending {
  /** Aborts the request. */
  readonly signal?: Abortable | undefined;
  /** What needs the request, for telemetry. */
  readonly cause: ObservedOperation | null;
  /** Must be called when the request is sent. */
  readonly onSent: () => void;
}

/** One GraphQL operation of one caller with its loaders and calls. It is not shared and not kept after the operation. */
export class Operation {
  readonly caller: Caller;
  /** Ends the operation early. */
  readonly end: EarlyEnd;
  readonly cost: OperationCost;
  /** Steps that the regular expressions of described rules may still take in all inputs. */
  readonly matchBudget: MatchBudget = { stepsLeft: OPERATION_STEPS };
  /** Rows of lists that callers read page by page, shared between operations. */
  readonly recentRows: RecentRows;
  readonly savings: CallSavings;
  /** Whether a write was sent. Its result cannot be requested again. */
  hasWritten = false;
  readonly #client: ActionClient;
  readonly #observed: ObservedOperation | null;
  readonly #shared: SharedState;
  // Made when they are first used: most operations need few of them, and subscriptions none.
  #reads: OperationReads | null = null;
  #loaders: Map<Identity, ObjectLoader> | null = null;
  #earlyPages: EarlyPages | null = null;
  #completion: Completion | null = null;
  #warnings: Warnings | null = null;

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
    this.#client = client;
    this.#shared = shared;
    this.recentRows = shared.recentRows;
    this.savings = shared.savings;
    this.caller = caller;
    this.cost = new OperationCost(shared.limits, caller.credential === null);
    this.end = new EarlyEnd(leaving);
  }

  /** Aborts when the client leaves, when the time of the operation is over, or when the facade closes. */
  get signal(): Abortable {
    return this.end.aborted;
  }

  /** Pages that are read before the objects on which their fields stand have arrived. */
  get earlyPages(): EarlyPages {
    this.#earlyPages ??= new EarlyPages();
    return this.#earlyPages;
  }

  /** Calls a reading action. Equal calls are sent once. */
  get read(): ReasonedRead {
    return this.#openReads().read;
  }

  /** Begins a part of the operation as soon as a call of it could be sent, see `CallSlots.beginWhenFree`. */
  beginWhenFree<T>(begin: () => Promise<T>): Promise<T> {
    return this.#openReads().slots.beginWhenFree(begin);
  }

  #openReads(): OperationReads {
    this.#reads ??= new OperationReads({
      client: this.#client,
      caller: this.caller,
      includes: this.#shared.includes,
      cost: this.cost,
      end: this.end,
      cause: this.#observed,
    });
    return this.#reads;
  }

  /** Returns a read function that warns about the fields of its reason when associations could not be included. */
  readFor(reason: CallReason): Read {
    return async (call) => {
      const result = await this.read(call, reason);
      if (result.lacksIncludes) for (const field of reason.fields) this.warn('INCLUDES_UNAVAILABLE', field);
      return result;
    };
  }

  /**
   * Calls a writing action, unless the operation has ended. A call under way is neither coalesced nor aborted. Earlier reads are
   * dropped, because the write may have changed them.
   * @param coordinate Coordinate of the field, e.g. `Mutation.bookCreate`.
   * @throws OutcomeUnknownError when the request was sent but no response shows whether it was carried out.
   */
  write(call: ActionCall, coordinate: string): Promise<ActionResult> {
    const { scope, path } = call.action;
    const options = { isWrite: true, startSignal: this.end.closing, cause: this.#observed };
    return this.#runWrite({ action: scope, path: path.text }, [coordinate], (meter) =>
      this.#client.call(call, { ...options, meter }),
    );
  }

  /** Makes a counted reading call of another service, within the limit of concurrent calls. */
  runRead<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    const read = async (): Promise<R> => {
      this.cost.reserve(place.action);
      const meter = this.cost.meterFor(place, { reason: { reason: 'READ', fields: [] } });
      return await sendMetered(meter, place, (onSent) =>
        send({ signal: this.signal, cause: this.#observed, onSent }),
      );
    };
    return this.#openReads().slots.run(read);
  }

  /** Makes a writing call of another service, as `write` does. @throws OutcomeUnknownError as `write` does. */
  runWrite<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    return this.#runWrite(place, [], (meter) =>
      sendMetered(meter, place, (onSent) => send({ cause: this.#observed, onSent })),
    );
  }

  async #runWrite<R>(
    place: CallPlace,
    fields: readonly string[],
    send: (meter: CallMeter) => Promise<R>,
  ): Promise<R> {
    const { action } = place;
    const { closing } = this.end;
    closing.throwIfAborted();
    this.cost.reserve(action);
    const leave = this.#shared.shutdown.writes.enter();
    let wasSent = false;
    const counted = this.cost.meterFor(place, { reason: { reason: 'WRITE', fields } });
    const meter = withSendingNotice(counted, () => {
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
    this.#shared.shown.drop(this.caller.key);
    this.#earlyPages?.clear();
    this.#reads?.clear();
    this.#loaders?.clear();
  }

  /** The warnings, in the order of first occurrence. */
  get warnings(): readonly Warning[] {
    return this.#warnings?.list ?? [];
  }

  /** @param details Replaces the details of an earlier warning with the same code and field. */
  warn(code: Warning['code'], coordinate: string, details?: Warning['details']): void {
    this.#warnings ??= new Warnings();
    this.#warnings.add(code, coordinate, details);
  }

  /** The loader of a resource's objects; null where the caller's description has no `show`. */
  loader(identity: Identity): ObjectLoader | null {
    if (identity.show === null) return null;
    this.#loaders ??= new Map();
    const { scope } = identity.show;
    const loader =
      this.#loaders.get(identity) ??
      new ObjectLoader(identity.show, this.read, () => this.#windowsFor(identity), {
        onObject: (values) => this.#shared.sent.correct({ caller: this.caller.key, action: scope }, values),
        onMissingIncludes: (coordinate) => this.warn('INCLUDES_UNAVAILABLE', coordinate),
        beginBatch: (action, size) => {
          const cause: Batch = { cause: this.#observed, action, size };
          const end = this.#shared.observer.batch?.(cause);
          return { cause, end: () => end?.() };
        },
      });
    this.#loaders.set(identity, loader);
    return loader;
  }

  #windowsFor({ show, list }: Identity): IdWindows | null {
    if (!this.savings.idWindows || show === null || list === null) return null;
    return new IdWindows({ show, list }, this.read, this.#shared.shown, this.caller);
  }

  /** Primes the loader of a resource with the objects that a response contains completely, see `ObjectLoader.prime`. */
  prime(identity: Identity, read: () => readonly Entity[]): void {
    this.loader(identity)?.prime(read);
  }

  /**
   * Fetches the missing values of an object, unless `show` does not send them either. A failure is recorded in the object, which
   * throws it at the first read of a missing value. Never rejects.
   */
  complete(entity: Entity, request: CompletionRequest): Promise<void> {
    this.#completion ??= new Completion({
      caller: this.caller.key,
      sent: this.#shared.sent,
      load: async (object, needs) => this.#load(object.identity, object.requireIds(), needs, 'VALUES'),
      onUnsent: (coordinate) => this.warn('FIELD_NOT_SENT', coordinate),
    });
    return this.#completion.complete(entity, request);
  }

  /**
   * Fetches an object again by its ids. Null when the API answers that it does not exist.
   * @throws NotOfferedError when the description has no `show`, UpstreamError when the call fails.
   */
  async reload(entity: Entity, request: IncludeRequest): Promise<Entity | null> {
    const { identity } = entity;
    const ids = entity.requireIds();
    try {
      const { values, meta } = await this.#load(identity, ids, request, 'OBJECT');
      return new Entity(identity, 'show', values, { meta, pathIds: pathIdsOf(identity, ids) });
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** @throws NotOfferedError when the description has no `show`. */
  #load(
    identity: Identity,
    ids: Ids,
    request: IncludeRequest,
    reason: 'OBJECT' | 'VALUES',
  ): Promise<ShowResult> {
    const loader = this.loader(identity);
    if (loader === null) throw new NotOfferedError(identity.path.join('.'));
    return loader.load(ids, request, reason);
  }
}
