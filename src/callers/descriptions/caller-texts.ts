// Finds the API's texts in the language of a caller.
import { LRUCache } from 'lru-cache';
import type { SchemaTexts } from '../../schema/descriptions/schema-texts.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import type { Limiter } from '../../sharing/replicas.ts';
import { expireAfter } from '../../upstream/cache-bounds.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { isLanguage, readLanguages } from '../../upstream/http/languages.ts';
import { networkOf } from '../client-address.ts';
import type { CallerDescriptions, CallersSource } from './caller-descriptions.ts';
import { logFailure } from './description-log.ts';

/** Languages of one schema whose texts are kept. The least recently used are dropped. */
const MAX_LANGUAGES = 4;
/** Language tags of one schema whose texts are known. */
const MAX_TAGS = 100;
/** For how long that is known. Milliseconds. */
const MAX_AGE = 3_600_000;
/** After a failure, a language is requested again after this time. Milliseconds. */
const RETRY_DELAY = 60_000;

/**
 * Descriptions in other languages that are fetched: the tags come from clients, and a large description takes the API a second. Beyond
 * this, texts are in the operator's language.
 */
const LIMITS = {
  network: { points: 12, duration: 600 },
  all: { points: 200, duration: 3_600 },
};

/** What is known of one schema in other languages. */
interface KnownTexts {
  readonly generation: string;
  /** By tag. Null where the API has no such language. */
  readonly tags: LRUCache<string, { readonly fingerprint: string | null }>;
  /** By fingerprint: several tags can lead to the same texts. */
  readonly texts: LRUCache<string, SchemaTexts>;
  readonly underWay: Map<string, Promise<SchemaTexts | null>>;
}

/** The API's texts in the languages of callers. They are fetched when something needs them, and kept with the schema. */
export class CallerTexts {
  readonly #from: CallersSource;
  readonly #descriptions: CallerDescriptions;
  readonly #base: () => ServedSchema;
  readonly #known = new WeakMap<ServedSchema, KnownTexts>();
  readonly #byNetwork: Limiter;
  readonly #all: Limiter;

  /** @param base Returns the schema of the operator's description. */
  constructor(from: CallersSource, descriptions: CallerDescriptions, base: () => ServedSchema) {
    this.#from = from;
    this.#descriptions = descriptions;
    this.#base = base;
    this.#byNetwork = from.replicas.createLimiter('languages by network', LIMITS.network);
    this.#all = from.replicas.createLimiter('languages', LIMITS.all);
  }

  /** Whether a caller asks for another language than that of the schemas. */
  isWanted({ language }: Pick<Caller, 'language'>): boolean {
    if (language === '') return false;
    const [first] = readLanguages(language);
    return first !== undefined && !isLanguage(this.#from.ownLanguage, first);
  }

  /**
   * The texts of a caller's schema in the first of the caller's languages that the API has. Null where that is the language of the
   * schema, and where there are no texts now. Never rejects.
   */
  async find(caller: Caller, served: ServedSchema): Promise<SchemaTexts | null> {
    for (const tag of readLanguages(caller.language)) {
      if (isLanguage(this.#from.ownLanguage, tag)) return null;
      const texts = await this.#textsFor(tag, caller, served);
      if (texts !== null) return texts;
    }
    return null;
  }

  async #textsFor(tag: string, caller: Caller, served: ServedSchema): Promise<SchemaTexts | null> {
    const known = this.#knownOf(served);
    const found = known.tags.get(tag);
    if (found !== undefined) {
      const texts = found.fingerprint === null ? null : known.texts.get(found.fingerprint);
      if (texts !== undefined) return texts;
    }
    let loading = known.underWay.get(tag);
    if (loading === undefined) {
      loading = this.#load(tag, caller, served, known).finally(() => known.underWay.delete(tag));
      known.underWay.set(tag, loading);
    }
    return loading;
  }

  #knownOf(served: ServedSchema): KnownTexts {
    const generation = this.#from.generation.id;
    let known = this.#known.get(served);
    if (known?.generation === generation) return known;
    known = {
      generation,
      tags: new LRUCache({ max: MAX_TAGS, ...expireAfter(MAX_AGE) }),
      texts: new LRUCache({ max: MAX_LANGUAGES }),
      underWay: new Map(),
    };
    this.#known.set(served, known);
    return known;
  }

  async #load(
    tag: string,
    caller: Caller,
    served: ServedSchema,
    { tags, texts, generation }: KnownTexts,
  ): Promise<SchemaTexts | null> {
    try {
      if (!(await this.#mayFetch(caller))) return null;
      // All callers of the operator's schema share it, so its texts come from the operator's description.
      const credential = served === this.#base() ? this.#from.operator : caller.credential;
      const text = await this.#descriptions.fetchIn(tag, credential, caller);
      const same = texts.get(text.fingerprint);
      const found = same ?? (await this.#from.registry.textsFor(served, text));
      if (found !== null) texts.set(text.fingerprint, found);
      tags.set(tag, { fingerprint: found === null ? null : text.fingerprint });
      text.share?.(generation);
      return found;
    } catch (error) {
      logFailure(this.#from, error);
      tags.set(tag, { fingerprint: null }, { ttl: RETRY_DELAY });
      return null;
    }
  }

  async #mayFetch({ address = '' }: Caller): Promise<boolean> {
    if ((await this.#byNetwork.count(networkOf(address))).isExceeded) return false;
    return !(await this.#all.count('')).isExceeded;
  }
}
