import pLimit from 'p-limit';
import { OptiongraphError, type OptiongraphErrorCode } from '../upstream/errors/optiongraph-error.ts';
import { NotOfferedError } from '../upstream/errors/request-errors.ts';
import {
  isMissing,
  OutcomeUnknownError,
  UpstreamUnreachableError,
} from '../upstream/errors/upstream-errors.ts';
import type { ActionCall, ActionClient, ActionResult, Caller } from '../upstream/http/action-client.ts';
import { credentialKey } from '../upstream/http/authentication.ts';
import { type CallPlace, metered } from '../upstream/http/call-meter.ts';
import { Entity } from './entity.ts';
import { type Identity, pathIdsOf } from './identity.ts';
import { createObjectLoader, type IncludeRequest, type ObjectLoader } from './object-loader.ts';
import { OperationCost } from './operation-cost.ts';
import type { RecentRows } from './paging/kept/recent-rows.ts';
import type { Read } from './read.ts';
import type { ReadResult, UnavailableIncludes } from './unavailable-includes.ts';

/** How a service beside the API sends a request: what aborts it, and what to call once it goes out. */
export interface Sending {
  readonly signal?: AbortSignal | undefined;
  readonly onSent: () => void;
}

/** An answer, with its HTTP status. */
interface Answered {
  readonly status: number;
}

/** Something the client should know although nothing failed. */
export interface Warning {
  readonly code:
    | 'ASSOCIATION_HIDDEN'
    | 'COUNT_UNAVAILABLE'
    | 'ENUM_VALUE_UNKNOWN'
    | 'INCLUDES_UNAVAILABLE'
    | 'PAGINATION_EMULATED'
    | 'PAGINATION_UNVERIFIED'
    | 'RESULT_MISSING';
  /** Coordinate of the field, e.g. `Book.author`. */
  readonly coordinate: string;
  /** How often in this operation. */
  readonly count: number;
  /** What the code's documentation names beside the count; numbers only. */
  readonly details?: Readonly<Record<string, number | null>>;
}

/** What operations remember from one to the next. */
export interface OperationMemory {
  /** Rows of lists that callers walk. */
  readonly recentRows: RecentRows;
  /** Includes that make the upstream fail. */
  readonly includes: UnavailableIncludes;
}

/** Calls one operation may have under way at once; further ones wait for their turn. */
const PARALLEL_CALLS = 10;

/** One GraphQL operation of one caller: its loaders, its calls and what they cost. Never shared, never kept. */
export class Operation {
  readonly caller: Caller;
  /** Tells callers apart, and holds nothing of their credentials. */
  readonly callerKey: string;
  /** Times out or aborts with the client's request. */
  readonly signal: AbortSignal | undefined;
  readonly cost = new OperationCost();
  /** Rows of lists that the caller walks, kept from one operation to the next. */
  readonly recentRows: RecentRows;
  /** Whether a writing call was made, so that the answer may hold what cannot be asked for again. */
  hasWritten = false;
  readonly #client: ActionClient;
  readonly #includes: UnavailableIncludes;
  readonly #limit = pLimit(PARALLEL_CALLS);
  readonly #reads = new Map<string, Promise<ReadResult>>();
  readonly #loaders = new Map<Identity, ObjectLoader>();
  readonly #warnings = new Map<string, Warning>();

  constructor(client: ActionClient, caller: Caller, kept: OperationMemory, signal?: AbortSignal) {
    this.#client = client;
    this.#includes = kept.includes;
    this.recentRows = kept.recentRows;
    this.caller = caller;
    this.callerKey = credentialKey(caller.credential);
    this.signal = signal;
  }

  readonly read: Read = async (wanted) => {
    const call = this.#includes.without(wanted, this.callerKey);
    const key = JSON.stringify([call.action.scope, call.path, call.input, call.meta]);
    let reading = this.#reads.get(key);
    if (reading === undefined) {
      reading = this.#limit(() =>
        this.#includes.read(call, this.callerKey, (sent) =>
          this.#client.call(sent, this.caller, { signal: this.signal, meter: this.cost }),
        ),
      );
      this.#reads.set(key, reading);
    } else {
      this.cost.shared();
    }
    const result = await reading;
    return call === wanted ? result : { ...result, lacksIncludes: true };
  };

  /**
   * A read on behalf of a field, which gets the warning when associations could not be included.
   * @param coordinate Of the field, e.g. `Query.books`.
   */
  readFor(coordinate: string): Read {
    return async (call) => {
      const result = await this.read(call);
      if (result.lacksIncludes) this.warn('INCLUDES_UNAVAILABLE', coordinate);
      return result;
    };
  }

  /**
   * Calls a writing action once: never coalesced, and not aborted when the client leaves. What was read
   * before is forgotten, since it may have changed.
   * @throws OutcomeUnknownError when the request went out and no answer tells what became of it.
   */
  write(call: ActionCall): Promise<ActionResult> {
    return this.#runWrite(call.action.scope, () =>
      this.#client.call(call, this.caller, { meter: this.cost }),
    );
  }

  /** Makes a reading call of a service beside the API, in its turn, and counts it. */
  runRead<R extends Answered>(place: CallPlace, send: (sending: Sending) => Promise<R>): Promise<R> {
    return this.#limit(() => metered(this.cost, place, (onSent) => send({ signal: this.signal, onSent })));
  }

  /** Makes a writing call of a service beside the API, as `write` does. @throws OutcomeUnknownError */
  runWrite<R extends Answered>(place: CallPlace, send: (sending: Sending) => Promise<R>): Promise<R> {
    return this.#runWrite(place.action, () => metered(this.cost, place, (onSent) => send({ onSent })));
  }

  async #runWrite<R>(action: string, send: () => Promise<R>): Promise<R> {
    this.hasWritten = true;
    try {
      return await send();
    } catch (error) {
      throw isOutcomeUnknown(error)
        ? new OutcomeUnknownError(
            'The call went out, but no answer tells whether it was carried out; look before you repeat it.',
            { action, status: error.status },
            { cause: error.code },
          )
        : error;
    } finally {
      this.reset();
    }
  }

  /** Forgets all that was read, by earlier operations too. */
  reset(): void {
    this.recentRows.drop(this.callerKey);
    this.#reads.clear();
    this.#loaders.clear();
  }

  /** Warnings so far, one a code and field, in the order of their first appearance. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings.values()];
  }

  /** @param details Replace those of an earlier warning about the same field. */
  warn(code: Warning['code'], coordinate: string, details?: Warning['details']): void {
    const key = `${code} ${coordinate}`;
    const count = (this.#warnings.get(key)?.count ?? 0) + 1;
    this.#warnings.set(key, { code, coordinate, count, ...(details ? { details } : {}) });
  }

  /** The loader of a resource's objects; null where the caller has no `show`. */
  loader(identity: Identity): ObjectLoader | null {
    if (identity.show === null) return null;
    let loader = this.#loaders.get(identity);
    if (loader === undefined) {
      const onLack = (coordinate: string): void => this.warn('INCLUDES_UNAVAILABLE', coordinate);
      loader = createObjectLoader(identity.show, this.read, onLack);
      this.#loaders.set(identity, loader);
    }
    return loader;
  }

  /** Remembers an object that came whole in another answer, so that it is not fetched again. */
  prime(entity: Entity): void {
    const { show } = entity.identity;
    if (show === null || entity.ids === null || entity.source === 'association') return;
    if (!show.output.parameters.every(({ name }) => entity.has(name))) return;
    this.loader(entity.identity)?.prime(entity.ids, { values: entity.values, meta: {} });
  }

  /**
   * Fetches what an object lacks. When that fails the object remembers it, and tells it at the first value that is
   * missing; what it already had stays.
   */
  async complete(entity: Entity, wanted: IncludeRequest): Promise<void> {
    try {
      const loader = this.loader(entity.identity);
      if (loader === null) throw new NotOfferedError(entity.identity.path.join('.'));
      const shown = await loader.load(entity.requireIds(), wanted);
      entity.complete(shown.values);
    } catch (error) {
      entity.fail(error);
    }
  }

  /**
   * Reads an object by its ids, whatever else is known of it. Null when the API answers that there is none.
   * @throws UpstreamError when it cannot be read.
   */
  async reload(entity: Entity, wanted: IncludeRequest): Promise<Entity | null> {
    const { identity } = entity;
    const loader = this.loader(identity);
    if (loader === null) throw new NotOfferedError(identity.path.join('.'));
    const ids = entity.requireIds();
    try {
      const { values, meta } = await loader.load(ids, wanted);
      return new Entity(identity, 'show', values, { meta, pathIds: pathIdsOf(identity, ids) });
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

const NO_ANSWER: ReadonlySet<OptiongraphErrorCode> = new Set([
  'TIMEOUT',
  'INVALID_RESPONSE',
  'RESPONSE_TOO_LARGE',
]);

/** Whether a failure leaves open if the upstream carried the call out. */
function isOutcomeUnknown(error: unknown): error is OptiongraphError {
  if (error instanceof UpstreamUnreachableError) return error.mayHaveArrived;
  return error instanceof OptiongraphError && NO_ANSWER.has(error.code);
}
