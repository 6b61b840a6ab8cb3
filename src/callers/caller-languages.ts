// Decides in which languages descriptions are fetched for callers.
import { LRUCache } from 'lru-cache';
import type { Limiter, Replicas } from '../sharing/replicas.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { isLanguage, readLanguages } from '../upstream/http/languages.ts';
import { networkOf } from './requester.ts';

/** Lists of languages that are remembered. */
const MAX_LISTS = 1_000;
/** For how long a list needs no further admission. Milliseconds. */
const ADMITTED_FOR = 3_600_000;
/** After a failure, a list is fetched again after this time. Milliseconds. */
const RETRY_DELAY = 60_000;
/**
 * New lists of languages for one network, in how many seconds: the tags come from clients, and a large description takes the API a
 * second. Beyond this, texts are in the operator's language.
 */
const LIMIT = { points: 12, duration: 600 };

/** The languages of callers. A list of tags is what descriptions are fetched with: the API chooses the first that it has. */
export class CallerLanguages {
  readonly #byNetwork: Limiter;
  /** Whether a list may be fetched, as far as that was decided. */
  readonly #isAdmitted = new LRUCache<string, boolean>({
    ...atMost(MAX_LISTS),
    ...expireAfter(ADMITTED_FOR),
  });
  readonly #lists: LRUCache<string, string>;

  constructor(ownLanguage: string, replicas: Replicas) {
    this.#byNetwork = replicas.createLimiter('languages by network', LIMIT);
    this.#lists = new LRUCache({
      ...atMost(MAX_LISTS),
      memoMethod(header) {
        const tags = readLanguages(header);
        const own = tags.findIndex((tag) => isLanguage(ownLanguage, tag));
        return tags.slice(0, own === -1 ? tags.length : own).join(', ');
      },
    });
  }

  /** The languages that a caller prefers to the operator's, as tags with commas between them. Empty for the operator's. */
  listFor({ language }: Pick<Caller, 'language'>): string {
    const list = this.#lists.memo(language);
    return this.#isAdmitted.get(list) === false ? '' : list;
  }

  /** Whether descriptions may be fetched in the languages of a list, which a caller asks for. */
  async admits(list: string, { address = '' }: Caller): Promise<boolean> {
    if (this.#isAdmitted.get(list) === true) return true;
    if ((await this.#byNetwork.count(networkOf(address))).isExceeded) return false;
    this.#isAdmitted.set(list, true);
    return true;
  }

  /** Refuses a list for a minute, after a failure to fetch a description with it. */
  refuse(list: string): void {
    this.#isAdmitted.set(list, false, { ttl: RETRY_DELAY });
  }
}
