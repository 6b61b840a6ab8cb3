import pLimit from 'p-limit';
import { credentialKey } from '../upstream/authentication.ts';
import type { ActionCall, ActionClient, ActionResult, Caller } from '../upstream/client.ts';
import {
  NotOfferedError,
  OutcomeUnknownError,
  UpstreamError,
  type UpstreamErrorCode,
  UpstreamUnreachableError,
} from '../upstream/errors.ts';
import type { Entity } from './entity.ts';
import type { Identity } from './identity.ts';
import { createObjectLoader, type ObjectLoader } from './loader.ts';

/** Calls a reading action; the same call made twice in one operation goes upstream once. */
export type Read = (call: ActionCall) => Promise<ActionResult>;

/** Where a call goes, as told to the client: names only. */
export interface CallPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action: string;
  /** Template of its path. */
  readonly path: string;
}

/** One upstream call as told to the client: names and numbers only. */
export interface CallRecord extends CallPlace {
  /** Null when no answer came. */
  readonly status: number | null;
  readonly ms: number;
}

/** An answer, with its HTTP status. */
interface Answered {
  readonly status: number;
}

/** Something the client should know although nothing failed. */
export interface Warning {
  readonly code: 'ASSOCIATION_HIDDEN' | 'COUNT_UNAVAILABLE' | 'ENUM_VALUE_UNKNOWN' | 'PAGINATION_EMULATED';
  /** Coordinate of the field, e.g. `Book.author`. */
  readonly coordinate: string;
  /** How often in this operation. */
  readonly count: number;
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
  readonly calls: CallRecord[] = [];
  /** Reads answered by another read of the same operation. */
  coalesced = 0;
  /** Whether a writing call was made, so that the answer may hold what cannot be asked for again. */
  hasWritten = false;
  readonly #client: ActionClient;
  readonly #limit = pLimit(PARALLEL_CALLS);
  readonly #reads = new Map<string, Promise<ActionResult>>();
  readonly #loaders = new Map<Identity, ObjectLoader>();
  readonly #warnings = new Map<string, Warning>();

  constructor(client: ActionClient, caller: Caller, signal?: AbortSignal) {
    this.#client = client;
    this.caller = caller;
    this.callerKey = credentialKey(caller.credential);
    this.signal = signal;
  }

  readonly read: Read = (call) => {
    const key = JSON.stringify([call.action.scope, call.path, call.input, call.meta]);
    const known = this.#reads.get(key);
    if (known !== undefined) {
      this.coalesced += 1;
      return known;
    }
    const result = this.runRead(placeOf(call), (signal) => this.#client.call(call, this.caller, signal));
    this.#reads.set(key, result);
    return result;
  };

  /**
   * Calls a writing action, once: never coalesced, never repeated, and not aborted when the client leaves. What was read
   * before is forgotten, since it may have changed.
   * @throws OutcomeUnknownError when the request went out and no answer tells what became of it.
   */
  write(call: ActionCall): Promise<ActionResult> {
    return this.runWrite(placeOf(call), () => this.#client.call(call, this.caller));
  }

  /** Makes a reading call, in its turn, and counts it: of the API, or of a service beside it. */
  runRead<R extends Answered>(place: CallPlace, send: (signal?: AbortSignal) => Promise<R>): Promise<R> {
    return this.#limit(() => this.#count(place, () => send(this.signal)));
  }

  /** Makes a writing call, of the API or of a service beside it, as `write` does. @throws OutcomeUnknownError */
  async runWrite<R extends Answered>(place: CallPlace, send: () => Promise<R>): Promise<R> {
    this.hasWritten = true;
    try {
      return await this.#count(place, send);
    } catch (error) {
      throw isOutcomeUnknown(error)
        ? new OutcomeUnknownError(
            'The call went out, but no answer tells whether it was carried out; look before you repeat it.',
            { action: place.action, status: error.status },
            { cause: error.code },
          )
        : error;
    } finally {
      this.reset();
    }
  }

  /** Forgets all that was read. */
  reset(): void {
    this.#reads.clear();
    this.#loaders.clear();
  }

  /** Warnings so far, one a code and field, in the order of their first appearance. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings.values()];
  }

  warn(code: Warning['code'], coordinate: string): void {
    const key = `${code} ${coordinate}`;
    const count = (this.#warnings.get(key)?.count ?? 0) + 1;
    this.#warnings.set(key, { code, coordinate, count });
  }

  /** The loader of a resource's objects; null where the caller has no `show`. */
  loader(identity: Identity): ObjectLoader | null {
    if (identity.show === null) return null;
    let loader = this.#loaders.get(identity);
    if (loader === undefined) {
      loader = createObjectLoader(identity.show, this.read);
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
  async complete(entity: Entity, includes: readonly string[]): Promise<void> {
    try {
      const loader = this.loader(entity.identity);
      if (loader === null) throw new NotOfferedError(entity.identity.path.join('.'));
      const shown = await loader.load(entity.requireIds(), includes);
      entity.complete(shown.values);
    } catch (error) {
      entity.fail(error);
    }
  }

  async #count<R extends Answered>({ action, path }: CallPlace, send: () => Promise<R>): Promise<R> {
    const started = performance.now();
    let status: number | null = null;
    try {
      const result = await send();
      status = result.status;
      return result;
    } catch (error) {
      if (error instanceof UpstreamError) status = error.status ?? null;
      throw error;
    } finally {
      const ms = Math.round(performance.now() - started);
      this.calls.push({ action, path, status, ms });
    }
  }
}

const placeOf = ({ action }: ActionCall): CallPlace => ({ action: action.scope, path: action.path.text });

const NO_ANSWER: ReadonlySet<UpstreamErrorCode> = new Set([
  'TIMEOUT',
  'INVALID_RESPONSE',
  'RESPONSE_TOO_LARGE',
]);

/** Whether a failure leaves open if the upstream carried the call out. */
function isOutcomeUnknown(error: unknown): error is UpstreamError {
  if (error instanceof UpstreamUnreachableError) return error.mayHaveArrived;
  return error instanceof UpstreamError && NO_ANSWER.has(error.code);
}
