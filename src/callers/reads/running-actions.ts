// Remembers the actions that writes of callers have started, until their end is seen.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';

/** Callers whose running actions are remembered, and actions of each. */
const MAX_CALLERS = 10_000;
const MAX_ACTIONS = 100;
/** Time after which the actions of a caller count as ended although nobody saw their end, in milliseconds. */
const LONGEST_ACTION = 3_600_000;
/** Stands for the action that a write with an unknown outcome may have started, and for those beyond the maximum. */
const UNKNOWN = '';

/** The running actions of all callers. */
export class RunningActions {
  /** By caller and id, the scope of the write that has started an action; null where it is unknown. */
  readonly #scopes = new LRUCache<string, Map<string, string | null>>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(LONGEST_ACTION),
  });

  of(caller: string): readonly string[] {
    return [...(this.#scopes.peek(caller)?.keys() ?? [])].filter((id) => id !== UNKNOWN);
  }

  scopeOf(caller: string, id: string): string | null {
    return this.#scopes.peek(caller)?.get(id) ?? null;
  }

  /** @param id Null where it is unknown. */
  add(caller: string, id: string | null, scope: string | null): void {
    const scopes = this.#scopes.peek(caller) ?? new Map<string, string | null>();
    scopes.set(id === null || scopes.size >= MAX_ACTIONS ? UNKNOWN : id, scope);
    this.#scopes.set(caller, scopes);
  }

  delete(caller: string, id: string): void {
    const scopes = this.#scopes.peek(caller);
    scopes?.delete(id);
    if (scopes?.size === 0) this.#scopes.delete(caller);
  }
}
