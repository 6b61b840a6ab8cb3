// Remembers the running actions of callers that live queries may wait for, and watches those that matter to them.
import { LRUCache } from 'lru-cache';
import { Abort, type Abortable } from '../../upstream/abortable.ts';
import type { ActionStream } from '../../upstream/actions/action-stream.ts';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';

/** Callers whose running actions are remembered, and actions of each. */
const MAX_CALLERS = 10_000;
const MAX_ACTIONS = 100;
/** Time after which an action whose end nobody saw is forgotten, in milliseconds. */
const LONGEST_ACTION = 3_600_000;

/** The running actions of one caller. */
interface OfCaller {
  /** The scope of the write that has started it, by the id of the action; null where it is unknown. */
  readonly scopes: Map<string, string | null>;
  readonly watched: Map<string, Abort>;
  /** The ids that a live query has listed. One that cannot be watched is not tried again. */
  readonly listed: Set<string>;
}

/** The running actions of all callers. */
export class RunningWrites implements Disposable {
  readonly #callers = new LRUCache<string, OfCaller>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(LONGEST_ACTION),
    memoMethod: () => ({ scopes: new Map(), watched: new Map(), listed: new Set() }),
    dispose: ({ watched }) => {
      for (const end of watched.values()) end.abort(LEFT);
    },
  });

  /** The ids of a caller's running actions. */
  of(caller: string): Iterable<string> {
    return [...(this.#callers.peek(caller)?.scopes.keys() ?? [])];
  }

  scopeOf(caller: string, id: string): string | null {
    return this.#callers.peek(caller)?.scopes.get(id) ?? null;
  }

  add(caller: string, id: string, scope: string | null): void {
    const { scopes } = this.#callers.memo(caller);
    if (scopes.size < MAX_ACTIONS) scopes.set(id, scope);
  }

  /** Adds the running actions that a live query has listed. Returns those that none has listed before. */
  addListed(caller: string, ids: readonly string[]): readonly string[] {
    if (ids.length === 0) return ids;
    const { scopes, listed } = this.#callers.memo(caller);
    const added = ids.filter((id) => !listed.has(id));
    if (listed.size + added.length > MAX_ACTIONS)
      for (const id of listed) if (!ids.includes(id)) listed.delete(id);
    const taken = added.slice(0, MAX_ACTIONS - listed.size);
    for (const id of taken) {
      listed.add(id);
      if (!scopes.has(id)) this.add(caller, id, null);
    }
    return taken;
  }

  remove(caller: string, id: string): void {
    const known = this.#callers.peek(caller);
    known?.scopes.delete(id);
    if (known?.scopes.size === 0 && known.watched.size === 0 && known.listed.size === 0)
      this.#callers.delete(caller);
  }

  /**
   * Watches an action until it ends, unless it is watched already.
   * @param onLost Called if the action cannot be watched any more. Its end may have been missed.
   */
  watch(caller: string, id: string, open: (signal: Abortable) => ActionStream, onLost: () => void): void {
    const { watched } = this.#callers.memo(caller);
    if (watched.has(id)) return;
    const end = new Abort();
    watched.set(id, end);
    const follow = async (): Promise<void> => {
      for await (const state of open(end)) if (state instanceof Error) throw state;
    };
    void follow()
      .catch(() => {
        if (!end.aborted) onLost();
      })
      .finally(() => watched.delete(id));
  }

  /** Watches no action of a caller any more: no live query needs it. */
  stopWatching(caller: string): void {
    const known = this.#callers.peek(caller);
    known?.listed.clear();
    for (const end of known?.watched.values() ?? []) end.abort(LEFT);
  }

  [Symbol.dispose](): void {
    this.#callers.clear();
  }
}

const LEFT = new Error('No live query needs the action.');
