import { LRUCache } from 'lru-cache';
import { ActionFailedError, UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';

/** An answer to a read. */
export interface ReadResult extends ActionResult {
  /** The read was made without some associations that were to be included, since the server fails with them. */
  readonly lacksIncludes?: true;
}

/** Includes with which the server answers an error to an action that it answers without them. */
interface FailingIncludes {
  /** Scope of the action. */
  readonly action: string;
  readonly includes: readonly string[];
  /** The caller whose reads they fail; null: everybody's. */
  readonly callerKey: string | null;
}

/** Sets of includes that are remembered, and for how long, in milliseconds. A server may be repaired meanwhile. */
const REMEMBERED = { max: 200, ttl: 5 * 60_000 };

/** HTTP statuses that speak of the credential, of load or of a proxy, and say nothing of includes. */
const UNRELATED: ReadonlySet<number> = new Set([401, 408, 429, 502, 503, 504]);

/**
 * Remembers which includes a server fails with. Only the server proves it: an error with them, followed by an answer to
 * the same call without them. A set that failed says nothing of its members, so nobody who asks for less is affected.
 */
export class UnavailableIncludes {
  // The clock of now, not of when lru-cache was loaded: a test may have set it.
  readonly #failing = new LRUCache<string, FailingIncludes>({ ...REMEMBERED, perf: performance });

  /** The call with those of its includes that are not known to fail; the call itself where none is. */
  without(call: ActionCall, callerKey: string): ActionCall {
    const wanted = includesOf(call);
    const possible = this.#possible(call.action.scope, wanted, callerKey);
    return possible.length === wanted.length ? call : withIncludes(call, possible);
  }

  /**
   * Makes a read. When it fails, and its includes may be why, it is made once more without them; the error of that call
   * is the read's error.
   */
  async read(
    call: ActionCall,
    callerKey: string,
    send: (call: ActionCall) => Promise<ActionResult>,
  ): Promise<ReadResult> {
    // Another read may have failed while this one waited for its turn.
    const asked = this.without(call, callerKey);
    try {
      const result = await send(asked);
      return asked === call ? result : { ...result, lacksIncludes: true };
    } catch (error) {
      const includes = includesOf(asked);
      if (includes.length === 0 || !mayBeDueToIncludes(error, asked)) throw error;
      const result = await send(withIncludes(asked, []));
      // Rights differ from caller to caller; what breaks a server is the same for all.
      const isForbidden = error.status === 403;
      this.#remember({ action: call.action.scope, includes, callerKey: isForbidden ? callerKey : null });
      return { ...result, lacksIncludes: true };
    }
  }

  #remember(failing: FailingIncludes): void {
    const { callerKey, action, includes } = failing;
    this.#failing.set(JSON.stringify([callerKey, action, includes]), failing);
  }

  #possible(action: string, wanted: readonly string[], callerKey: string): readonly string[] {
    if (wanted.length === 0 || this.#failing.size === 0) return wanted;
    const failing = [...this.#failing.values()]
      .filter((known) => known.action === action)
      .filter((known) => known.callerKey === null || known.callerKey === callerKey)
      .map(({ includes }) => includes);
    const single = failing.filter(({ length }) => length === 1);
    const rest = wanted.filter((include) => !single.some((set) => isWithin(set, [include])));
    return failing.some((set) => isWithin(set, rest)) ? [] : rest;
  }
}

/** Whether asking for some includes asks for all of a set too: `author__city` includes `author`. */
const isWithin = (set: readonly string[], includes: readonly string[]): boolean =>
  set.every((member) => includes.some((include) => include === member || include.startsWith(`${member}__`)));

function includesOf({ meta }: ActionCall): readonly string[] {
  const { includes } = meta;
  return typeof includes === 'string' ? includes.split(',') : [];
}

function withIncludes(call: ActionCall, includes: readonly string[]): ActionCall {
  const { includes: _all, ...meta } = call.meta;
  return { ...call, meta: includes.length === 0 ? meta : { ...meta, includes: includes.join(',') } };
}

/**
 * Whether a failed read may succeed without its includes. Not where the server speaks of the credential, of load, of an
 * object that is not there, or of single inputs. A 403 may: it forbids the action or only an association, and nothing but
 * the repeated call tells which.
 */
function mayBeDueToIncludes(
  error: unknown,
  { action }: ActionCall,
): error is ActionFailedError | UpstreamProtocolError {
  if (!(error instanceof ActionFailedError || error instanceof UpstreamProtocolError)) return false;
  const { status = 0 } = error;
  if (status < 400 || UNRELATED.has(status)) return false;
  if (status === 404 && action.path.placeholders.length > 0) return false;
  const inputs = error instanceof ActionFailedError ? error.errors : new Map<string, unknown>();
  return inputs.size === 0 || inputs.has('includes');
}
