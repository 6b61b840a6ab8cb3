// Remembers which described values `show` sends, so that values which the API never sends are not fetched again.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { JsonObject } from '../upstream/json.ts';

/** Actions that are remembered, each for one caller. */
const MAX_ACTIONS = 1_000;
/** Pairs of a value and a kind of object that are remembered for one action. */
const MAX_VALUES = 1_000;
/** Time for which an action is remembered, in milliseconds. It is short because the server may be changed. */
const REMEMBERED_FOR = 10 * 60_000;

/** The action `show` of one caller: rights and rows of one caller say nothing about another's. */
export interface ShowOfCaller {
  /** Key of the caller. */
  readonly caller: string;
  /** Scope of the action. */
  readonly action: string;
}

/** Objects that lacked the same values before they were fetched. */
export interface ObjectKind extends ShowOfCaller {
  /** One digit for each described value, in the order of the description: 1 if they had it, else 0. */
  readonly has: string;
}

/** What is known of one `show` of one caller. */
interface Known {
  /** Whether a value was sent, by its name and the kind of object. */
  readonly byKind: Map<string, boolean>;
  /** The values that were not sent for some kind. */
  readonly unsent: Set<string>;
  /** Those of them that were sent for an object of unknown kind. */
  readonly sent: Set<string>;
}

/**
 * Remembers whether `show` sends values that objects lacked before. The first object of a kind decides for the others, until `show`
 * sends the value for any object.
 */
export class SentValues {
  readonly #known = new LRUCache<string, Known>({ ...atMost(MAX_ACTIONS), ...expireAfter(REMEMBERED_FOR) });

  /** Whether `show` sends a value for objects of a kind; undefined where that is not known. */
  isSent(kind: ObjectKind, name: string): boolean | undefined {
    const known = this.#known.get(keyOf(kind));
    return known?.sent.has(name) === true || known?.byKind.get(valueKeyOf(kind, name));
  }

  /** Records whether `show` has sent a value for an object of a kind. A value that was sent once counts as sent. */
  record(kind: ObjectKind, name: string, isSent: boolean): void {
    const { byKind, unsent } = this.#open(kind);
    const key = valueKeyOf(kind, name);
    if (byKind.size >= MAX_VALUES && !byKind.has(key)) return;
    byKind.set(key, isSent || byKind.get(key) === true);
    if (!isSent) unsent.add(name);
  }

  /** Corrects what is known by what `show` has sent for an object of unknown kind. */
  correct(show: ShowOfCaller, values: JsonObject): void {
    const known = this.#known.get(keyOf(show));
    for (const name of known?.unsent ?? []) if (Object.hasOwn(values, name)) known?.sent.add(name);
  }

  #open(show: ShowOfCaller): Known {
    const key = keyOf(show);
    const known = this.#known.get(key) ?? { byKind: new Map(), unsent: new Set(), sent: new Set() };
    if (!this.#known.has(key)) this.#known.set(key, known);
    return known;
  }
}

const keyOf = ({ caller, action }: ShowOfCaller): string => `${caller} ${action}`;
const valueKeyOf = ({ has }: ObjectKind, name: string): string => `${name} ${has}`;
