// Repeats reads without what the facade has added to them and makes the server fail, and remembers that.
import { LRUCache } from 'lru-cache';
import type { Observer } from '../observer.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { ActionFailedError, isMissing, UpstreamProtocolError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';

/** The result of a reading call. */
export interface ReadResult extends ActionResult {
  /** Set when requested associations were not included, because the server fails with them. */
  readonly lacksIncludes?: true;
}

/** Lists that are remembered, and failing sets of each. */
const MAX_LISTS = 1_000;
const MAX_SETS = 20;
/** Time for which they are remembered, in milliseconds. It is short because the server may be repaired. */
const REMEMBERED_FOR = 5 * 60_000;

/** Stands for the count among includes, whose names it cannot be. */
const COUNT = ' count';
/** Inputs that an error about an addition can name. */
const ADDITION_INPUTS: readonly string[] = ['includes', 'count'];
/** Inputs that choose a part of the same rows. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'from_id', 'offset']);

/** HTTP statuses that concern the credential, the state of an object, the load or a proxy, not an addition. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([401, 408, 409, 423, 429, 502, 503, 504]);

/**
 * What the facade adds to reads: includes, and the count that paging needs. A read that fails with them is repeated without the count, and
 * then without the includes. A set of them is recorded when a call fails with it and succeeds without it, for the caller, the action and
 * the names of the filters: rows and rights of one caller say nothing about another's. Subsets of a failing set may succeed.
 */
export class Additions {
  readonly #notify: Observer['includes'];
  readonly #failing = new LRUCache<string, readonly (readonly string[])[]>({
    ...atMost(MAX_LISTS),
    ...expireAfter(REMEMBERED_FOR),
  });

  constructor({ includes }: Observer = {}) {
    this.#notify = includes;
  }

  /** Returns the call without the additions that are known to fail; the same object when it has none of them. */
  withoutFailing(call: ActionCall, callerKey: string): ActionCall {
    if (this.#failing.size === 0) return call;
    const failing = this.#failing.get(keyOf(call, callerKey));
    if (failing === undefined) return call;
    const requested = additionsOf(call);
    const single = failing.filter(({ length }) => length === 1);
    const rest = requested.filter((addition) => !single.some((set) => isWithin(set, [addition])));
    const includes = failing.some((set) => isWithin(set, rest)) ? [] : rest.filter(isInclude);
    const available = [...includes, ...rest.filter((addition) => addition === COUNT)];
    if (available.length === requested.length) return call;
    this.#report(call, 0, requested.filter(isInclude).length - includes.length);
    return withAdditions(call, available);
  }

  /** Makes a reading call. When the last repetition fails too, its error is thrown. */
  async read(
    call: ActionCall,
    callerKey: string,
    send: (call: ActionCall) => Promise<ActionResult>,
  ): Promise<ReadResult> {
    // Another call may have failed while this one waited.
    let sent = this.withoutFailing(call, callerKey);
    for (let removed: readonly string[] = []; ; ) {
      try {
        const result = await send(sent);
        if (removed.length > 0) this.#record(keyOf(call, callerKey), removed);
        this.#report(call, includesOf(sent).length, removed.filter(isInclude).length);
        return includesOf(sent).length < includesOf(call).length
          ? { ...result, lacksIncludes: true }
          : result;
      } catch (error) {
        const additions = additionsOf(sent);
        if (additions.length === 0 || !mayBeDueToAddition(error, sent)) throw error;
        removed = additions.includes(COUNT) ? [COUNT] : additions;
        sent = withAdditions(sent, additions.includes(COUNT) ? additions.filter(isInclude) : []);
      }
    }
  }

  #record(key: string, set: readonly string[]): void {
    const known = this.#failing.get(key) ?? [];
    this.#failing.set(key, [...known, set].slice(-MAX_SETS));
  }

  #report({ action }: ActionCall, used: number, refused: number): void {
    if (used + refused > 0) this.#notify?.({ action: action.scope, used, refused });
  }
}

function keyOf({ action, input }: ActionCall, callerKey: string): string {
  const filters = Object.keys(input).filter((name) => !PAGING.has(name));
  return JSON.stringify([callerKey, action.scope, filters.sort()]);
}

const isInclude = (addition: string): boolean => addition !== COUNT;

/** Whether a request for some additions requests every member of a set: `author__city` also includes `author`. */
const isWithin = (set: readonly string[], additions: readonly string[]): boolean =>
  set.every((member) =>
    additions.some((addition) => addition === member || addition.startsWith(`${member}__`)),
  );

/** The associations in the value of `includes`. */
export const includesIn = (includes: unknown): readonly string[] =>
  typeof includes === 'string' ? includes.split(',') : [];

const includesOf = ({ meta }: ActionCall): readonly string[] => includesIn(meta['includes']);

/** What the facade has added to a call. */
const additionsOf = (call: ActionCall): readonly string[] =>
  call.meta['count'] === true ? [...includesOf(call), COUNT] : includesOf(call);

function withAdditions(call: ActionCall, additions: readonly string[]): ActionCall {
  const { includes: _includes, count: _count, ...meta } = call.meta;
  const includes = additions.filter(isInclude);
  return {
    ...call,
    meta: {
      ...meta,
      ...(includes.length === 0 ? {} : { includes: includes.join(',') }),
      ...(additions.includes(COUNT) ? { count: true } : {}),
    },
  };
}

/**
 * Whether a failed call may succeed without an addition. It cannot when the error concerns the credential, the load, a missing object or
 * other input. It may after a 403, which forbids either the action or an association.
 */
function mayBeDueToAddition(error: unknown, { action }: ActionCall): boolean {
  if (!(error instanceof ActionFailedError || error instanceof UpstreamProtocolError)) return false;
  const { status = 0 } = error;
  const isRefusal = status === 200 && error instanceof ActionFailedError && !isMissing(error);
  if ((status < 400 && !isRefusal) || UNRELATED_STATUSES.has(status)) return false;
  if (status === 404 && action.path.placeholders.length > 0) return false;
  const inputs = error instanceof ActionFailedError ? error.errors : new Map<string, unknown>();
  return inputs.size === 0 || ADDITION_INPUTS.some((name) => inputs.has(name));
}
