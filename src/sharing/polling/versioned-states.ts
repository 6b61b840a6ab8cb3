// Keeps the latest states of running actions that are known to a replica, each with its version.
import type { LRUCache } from 'lru-cache';
import type { WatchKind } from '../../upstream/actions/poller.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { SentState, Version } from './polling-messages.ts';

/** Final states by the name of their caller and their id. */
export type EndedStates = Pick<LRUCache<string, JsonObject>, 'get' | 'set'>;

interface Versioned {
  readonly state: JsonObject;
  readonly version: Version;
}

/** The latest known states of one caller's actions. Final ones are remembered apart, also after nobody watches any more. */
export class VersionedStates {
  readonly #caller: string;
  readonly #ended: EndedStates;
  readonly #states = { watched: new Map<string, Versioned>(), listed: new Map<string, Versioned>() } as const;

  /** @param caller Names the caller. @param ended Remembers final states, of other callers too. */
  constructor(caller: string, ended: EndedStates) {
    this.#caller = caller;
    this.#ended = ended;
  }

  find(kind: WatchKind, id: string): Versioned | undefined {
    return this.#states[kind].get(id);
  }

  ids(kind: WatchKind): Iterable<string> {
    return this.#states[kind].keys();
  }

  /** The final state of an action; undefined while it runs, or where it is not known any more. */
  endOf(id: string): JsonObject | undefined {
    return this.#ended.get(this.#nameOf(id));
  }

  keep([kind, id, state, version]: SentState): void {
    if (state['finished'] === true) {
      this.#states[kind].delete(id);
      this.#ended.set(this.#nameOf(id), state);
    } else this.#states[kind].set(id, { state, version });
  }

  forget(id: string, kind: WatchKind = 'watched'): void {
    this.#states[kind].delete(id);
  }

  forgetList(): void {
    this.#states.listed.clear();
  }

  /** Makes states comparable with others that were read alone: they are not later than this token. */
  limitTokens(latest: number): void {
    for (const states of Object.values(this.#states))
      for (const [id, { state, version }] of states)
        if (version[0] > latest) states.set(id, { state, version: [latest, 0] });
  }

  /** What a replica with some version of a state lacks: a later state, or a final one; null for nothing. */
  lackedBy(kind: WatchKind, id: string, version: Version | null): SentState | null {
    const end = this.endOf(id);
    // A final state is later than any other, so that its version says nothing.
    if (end !== undefined) return [kind, id, end, [0, 0]];
    const known = this.#states[kind].get(id);
    return known !== undefined && isLater(known.version, version)
      ? [kind, id, known.state, known.version]
      : null;
  }

  /** Whether a state is final, or later than the known one. */
  isNew([kind, id, state, version]: SentState): boolean {
    return state['finished'] === true || isLater(version, this.find(kind, id)?.version ?? null);
  }

  #nameOf(id: string): string {
    return JSON.stringify([this.#caller, id]);
  }
}

const isLater = ([token, change]: Version, known: Version | null): boolean =>
  known === null || token > known[0] || (token === known[0] && change > known[1]);
