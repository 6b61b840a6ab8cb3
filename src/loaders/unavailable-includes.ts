// Retries reads without includes that make the server fail, and remembers these includes.
import { LRUCache } from 'lru-cache';
import type { Observer } from '../telemetry/observer.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { ActionFailedError, UpstreamProtocolError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';

/** The result of a reading call. */
export interface ReadResult extends ActionResult {
  /** Set when requested associations were not included, because the server fails with them. */
  readonly lacksIncludes?: true;
}

/** Includes with which an action fails, although it succeeds without them. */
interface FailingIncludes {
  /** Scope of the action. */
  readonly action: string;
  readonly includes: readonly string[];
  /** The caller whose calls fail: rows and rights of one caller say nothing about another's. */
  readonly callerKey: string;
}

/** Sets of includes that are remembered. */
const MAX_SETS = 1_000;
/** Time for which one is remembered, in milliseconds. It is short because the server may be repaired. */
const REMEMBERED_FOR = 5 * 60_000;

/** HTTP statuses that concern the credential, the load or a proxy, not the includes. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([401, 408, 429, 502, 503, 504]);

/**
 * Remembers, for each caller, the sets of includes with which actions fail. A set is recorded when a call fails with it and succeeds without
 * it. Its subsets may succeed, so calls with fewer includes are not affected.
 */
export class UnavailableIncludes {
  readonly #notify: Observer['includes'];
  readonly #failing = new LRUCache<string, FailingIncludes>({
    ...atMost(MAX_SETS),
    ...expireAfter(REMEMBERED_FOR),
  });

  constructor({ includes }: Observer = {}) {
    this.#notify = includes;
  }

  /** Returns the call without the includes that are known to fail; the same object when it has none of them. */
  withoutFailing(call: ActionCall, callerKey: string): ActionCall {
    const requested = includesOf(call);
    const available = this.#filterAvailable(call.action.scope, requested, callerKey);
    if (available.length === requested.length) return call;
    this.#report(call, 0, requested.length - available.length);
    return withIncludes(call, available);
  }

  /**
   * Makes a reading call. A call that fails possibly because of its includes is repeated once without them. When the
   * repeated call fails too, its error is thrown.
   */
  read(
    call: ActionCall,
    callerKey: string,
    send: (call: ActionCall) => Promise<ActionResult>,
  ): Promise<ReadResult> {
    return includesOf(call).length === 0 ? send(call) : this.#readWithIncludes(call, callerKey, send);
  }

  async #readWithIncludes(
    call: ActionCall,
    callerKey: string,
    send: (call: ActionCall) => Promise<ActionResult>,
  ): Promise<ReadResult> {
    // Another call may have failed while this one waited.
    const reduced = this.withoutFailing(call, callerKey);
    try {
      const result = await send(reduced);
      this.#report(reduced, includesOf(reduced).length, 0);
      return reduced === call ? result : { ...result, lacksIncludes: true };
    } catch (error) {
      const includes = includesOf(reduced);
      if (includes.length === 0 || !mayBeDueToIncludes(error, reduced)) throw error;
      const result = await send(withIncludes(reduced, []));
      this.#report(reduced, 0, includes.length);
      const action = call.action.scope;
      this.#failing.set(JSON.stringify([callerKey, action, includes]), { action, includes, callerKey });
      return { ...result, lacksIncludes: true };
    }
  }

  #report({ action }: ActionCall, used: number, refused: number): void {
    if (used + refused > 0) this.#notify?.({ action: action.scope, used, refused });
  }

  #filterAvailable(action: string, requested: readonly string[], callerKey: string): readonly string[] {
    if (requested.length === 0 || this.#failing.size === 0) return requested;
    const failing = [...this.#failing.values()]
      .filter((known) => known.action === action && known.callerKey === callerKey)
      .map(({ includes }) => includes);
    const single = failing.filter(({ length }) => length === 1);
    const rest = requested.filter((include) => !single.some((set) => isWithin(set, [include])));
    return failing.some((set) => isWithin(set, rest)) ? [] : rest;
  }
}

/** Whether a request for some includes requests every member of a set: `author__city` also includes `author`. */
const isWithin = (set: readonly string[], includes: readonly string[]): boolean =>
  set.every((member) => includes.some((include) => include === member || include.startsWith(`${member}__`)));

/** The includes that a call requests. */
export function includesOf({ meta }: ActionCall): readonly string[] {
  const { includes } = meta;
  return typeof includes === 'string' ? includes.split(',') : [];
}

function withIncludes(call: ActionCall, includes: readonly string[]): ActionCall {
  const { includes: _all, ...meta } = call.meta;
  return { ...call, meta: includes.length === 0 ? meta : { ...meta, includes: includes.join(',') } };
}

/**
 * Whether a failed call may succeed without its includes. It cannot when the error concerns the credential, the load, a
 * missing object or other input. It may after a 403, which forbids either the action or an association.
 */
function mayBeDueToIncludes(error: unknown, { action }: ActionCall): boolean {
  if (!(error instanceof ActionFailedError || error instanceof UpstreamProtocolError)) return false;
  const { status = 0 } = error;
  if (status < 400 || UNRELATED_STATUSES.has(status)) return false;
  if (status === 404 && action.path.placeholders.length > 0) return false;
  const inputs = error instanceof ActionFailedError ? error.errors : new Map<string, unknown>();
  return inputs.size === 0 || inputs.has('includes');
}
