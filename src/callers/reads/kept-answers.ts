// Keeps answers of reads, by caller, where the operator says for how long.
import { LRUCache } from 'lru-cache';
import { CallerCache } from '../../loaders/caller-cache.ts';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { ActionCall, ActionResult } from '../../upstream/http/action-client.ts';

/** The answer of a read and the size of its response. */
export interface Answer {
  readonly result: ActionResult;
  readonly bytes: number;
}

/** Maximum size of all kept responses, and bytes that an answer takes besides its response. */
const MAX_BYTES = 64 * 1024 * 1024;
const OVERHEAD = 500;

/** Number of callers whose running actions are remembered. */
const MAX_CALLERS = 10_000;
/** Time after which an action whose end nobody saw no longer stops answers from being kept, in milliseconds. */
const LONGEST_ACTION = 3_600_000;
/** Stands for the action that a write with an unknown outcome may have started. */
const UNKNOWN_ACTION = '';

/**
 * Answers of reads, by caller. While an action may be running that a caller's write has started, none of the caller's answers are
 * kept: the objects change at a time that only a watcher of the action sees.
 */
export class KeptAnswers {
  readonly #ttls: ReadonlyMap<string, number>;
  readonly #answers = new CallerCache<Answer>({
    maxSize: MAX_BYTES,
    sizeOf: ({ bytes }) => bytes + OVERHEAD,
  });
  readonly #running = new LRUCache<string, Set<string>>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(LONGEST_ACTION),
  });

  /** @param ttls Milliseconds by dotted resource path. Answers of other resources are not kept. */
  constructor(ttls: ReadonlyMap<string, number>) {
    this.#ttls = ttls;
  }

  /** @param key Identifies the call, and all that changes its answer besides the caller. */
  get(caller: string, key: string): Answer | undefined {
    return this.#answers.get(caller, key);
  }

  keep(caller: string, key: string, { action }: ActionCall, answer: Answer): void {
    const ttl = this.#ttls.get(action.resource.join('.'));
    if (ttl !== undefined && !this.#running.has(caller)) this.#answers.set(caller, key, answer, ttl);
  }

  /** Drops the answers of a caller. */
  drop(caller: string): void {
    this.#answers.drop(caller);
  }

  /** Keeps nothing for a caller until an action ends that a write has started. @param id Null where it is unknown. */
  pause(caller: string, id: string | null): void {
    const running = this.#running.get(caller) ?? new Set<string>();
    this.#running.set(caller, running.add(id ?? UNKNOWN_ACTION));
  }

  /** Keeps answers again when no other action of the caller may be running. */
  resume(caller: string, id: string): void {
    const running = this.#running.get(caller);
    running?.delete(id);
    if (running?.size === 0) this.#running.delete(caller);
  }
}
