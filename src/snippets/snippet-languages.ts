// Caches the languages of the snippet service.
import { LRUCache } from 'lru-cache';
import type { Operation } from '../loaders/operation.ts';
import { expireAfter } from '../upstream/cache-bounds.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { hashSecret } from '../upstream/http/caller.ts';
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

/**
 * The languages that the service documents (specification: Snippet service). `language` is checked against them if the service's
 * own list is not available.
 */
const DOCUMENTED_LANGUAGES: ReadonlySet<string> = new Set(
  [
    'as as3 ada apacheconf autodetect awk bash console bat bbcode brainfuck c csharp aspx-cs cpp cmake',
    'cobol coffeescript lisp css cuda d delphi diff dtd elixir erlang erl fsharp fortran glsl gnuplot go',
    'haml haskell html http ini java js lighttpd lua make md matlab mysql nginx nix obj-c perl perl6 php',
    'plpgsql text postgres psql postscript powershell prolog puppet python python3 py3tb pycon pytb qml',
    'spec ruby irb scala scaml scheme smalltalk sql sqlite tcl tex ts vala verilog vbnet aspx-vb xml yaml',
  ].flatMap((line) => line.split(' ')),
);

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
    const list = operation.calls
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
