import { LRUCache } from 'lru-cache';
import type { Operation } from '../loaders/operation.ts';
import { OptiongraphError } from '../upstream/errors/optiongraph-error.ts';
import { credentialKey } from '../upstream/http/authentication.ts';
import { DOCUMENTED_LANGUAGES } from './documented-languages.ts';
import {
  COMMANDS,
  type SnippetLanguage,
  type SnippetsCaller,
  type SnippetsClient,
} from './snippets-client.ts';

/** How long a list is believed, in milliseconds. Languages come and go with releases of the service. */
const LIFE = 10 * 60 * 1000;
/** Keys whose lists are kept. Lists are not shared between keys: nothing is. */
const MAX_KEYS = 100;

type List = Promise<readonly SnippetLanguage[]>;

/** The languages of one service. */
export class SnippetLanguages {
  readonly #client: SnippetsClient;
  // The clock of now, not of when lru-cache was loaded: a test may have set it.
  readonly #lists = new LRUCache<string, List>({ max: MAX_KEYS, ttl: LIFE, perf: performance });

  constructor(client: SnippetsClient) {
    this.#client = client;
  }

  /** The service's own list, which the first operation of a key fetches for those that follow. */
  list(caller: SnippetsCaller, operation: Operation): List {
    const key = credentialKey(caller.apiKey === null ? null : { header: '', value: caller.apiKey });
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    // Not aborted when this client leaves: others may wait for the same list.
    const list = operation
      .runRead(COMMANDS.listLanguages, ({ onSent }) => this.#client.listLanguages(caller, { onSent }))
      .then(({ languages }) => languages);
    this.#lists.set(key, list);
    list.catch(() => this.#lists.delete(key));
    return list;
  }

  /** Whether a snippet may name a language; by the document's list where the service's own cannot be had. */
  async knows(name: string, caller: SnippetsCaller, operation: Operation): Promise<boolean> {
    try {
      const list = await this.list(caller, operation);
      return list.some((language) => language.name === name);
    } catch (error) {
      if (!(error instanceof OptiongraphError)) throw error;
      return DOCUMENTED_LANGUAGES.has(name);
    }
  }
}
