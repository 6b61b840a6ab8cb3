// Caches the languages of the snippet service.

import { LRUCache } from 'lru-cache';
import type { Operation } from '../loaders/operation.ts';
import { expireAfter } from '../upstream/cache-bounds.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { hashSecret } from '../upstream/http/caller.ts';
import { DOCUMENTED_LANGUAGES } from './documented-languages.ts';
import {
  COMMANDS,
  type SnippetLanguage,
  type SnippetsCaller,
  type SnippetsClient,
} from './snippets-client.ts';

/** How long a list is cached, in milliseconds. Releases of the service change the list. */
const TTL = 10 * 60 * 1000;
/** Maximum number of API keys whose lists are cached. API keys do not share cache entries. */
const MAX_KEYS = 100;

type List = Promise<readonly SnippetLanguage[]>;

/** The languages of one snippet service. */
export class SnippetLanguages {
  readonly #client: SnippetsClient;
  readonly #lists = new LRUCache<string, List>({ max: MAX_KEYS, ...expireAfter(TTL) });

  constructor(client: SnippetsClient) {
    this.#client = client;
  }

  /** Returns the list of the service. Operations with the same API key share one cached list. */
  list(caller: SnippetsCaller, operation: Operation): List {
    const key = caller.apiKey === null ? 'anonymous' : hashSecret(caller.apiKey);
    const cached = this.#lists.get(key);
    if (cached !== undefined) return cached;
    // The request is not aborted with its operation, because other operations may wait for the same list.
    const list = operation
      .runRead(COMMANDS.listLanguages, ({ onSent }) => this.#client.listLanguages(caller, { onSent }))
      .then(({ languages }) => languages);
    this.#lists.set(key, list);
    list.catch(() => this.#lists.delete(key));
    return list;
  }

  /** Whether the service supports a language. If its list cannot be fetched, the documented languages are used. */
  async isSupported(name: string, caller: SnippetsCaller, operation: Operation): Promise<boolean> {
    try {
      const list = await this.list(caller, operation);
      return list.some((language) => language.name === name);
    } catch (error) {
      if (!(error instanceof OptiongraphError)) throw error;
      return DOCUMENTED_LANGUAGES.has(name);
    }
  }
}
