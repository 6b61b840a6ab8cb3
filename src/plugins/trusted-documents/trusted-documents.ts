// Finds the document that a request names by its id: one that the operator trusts, or one that a client has registered.
import { RefusedError } from '../../server/errors.ts';
import type { OperationPlugin, Services, StartedPlugin } from '../../server/plugin.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import { createCollection } from './collection.ts';
import { hashOf, PersistedQueries } from './persisted-queries.ts';

/** Documents that the operator trusts. */
export interface TrustedDocumentsOptions {
  /** `allow`: clients may send other documents too. `enforce`: only these are executed, introspection included. */
  readonly mode: 'allow' | 'enforce';
  /** The documents by id, as `parseTrustedDocuments` reads them. */
  readonly documents: ReadonlyMap<string, string>;
}

/** Starts the plugin. @param options Null: no document is trusted, and clients may send and register any. */
export function useTrustedDocuments(
  options: TrustedDocumentsOptions | null,
  services: Services,
): StartedPlugin {
  const trusted = new TrustedDocuments(options, services.replicas);
  // Where only these documents are executed, nobody explores them.
  const page =
    options?.mode === 'enforce' ? undefined : createCollection(options?.documents ?? new Map(), services);
  return { ...trusted.plugin, page, close: () => trusted[Symbol.dispose]() };
}

/** The trusted documents of a facade. */
export class TrustedDocuments implements Disposable {
  readonly #documents: ReadonlyMap<string, string>;
  readonly #registered: PersistedQueries;
  readonly #texts: ReadonlySet<string>;
  /** Whether no other documents are executed. */
  readonly #areEnforced: boolean;

  /**
   * @param options Null: no document is trusted, and clients may send and register any.
   * @param replicas Those that may be asked for the same documents.
   */
  constructor(options: TrustedDocumentsOptions | null, replicas: Replicas) {
    this.#registered = new PersistedQueries(replicas);
    this.#documents = options?.documents ?? new Map();
    this.#texts = new Set(options?.documents.values());
    this.#areEnforced = options?.mode === 'enforce';
  }

  /** Makes the plugin. */
  readonly plugin: OperationPlugin = {
    onParams: (sent, request) => {
      // A body may be anything.
      if (!isObject(sent)) return sent;
      const params = this.#resolve(sent);
      const { query } = params;
      request.isTrusted = typeof query === 'string' && this.#texts.has(query);
      if (this.#areEnforced && !request.isTrusted && typeof query === 'string')
        throw new RefusedError(
          'DOCUMENT_UNTRUSTED',
          'This server executes only the documents that its operator has listed; send the id or the exact text of one of them.',
        );
      return params;
    },
  };

  /**
   * Replaces the id of a document by its text. A request with a text keeps it: clients send both when they repeat a request whose
   * id was unknown, and register the text by its hash. An empty text counts as none, because WebSocket messages must contain one.
   * @throws RefusedError when there is no text, and the id is unknown, or the text has another hash than the one sent with it.
   */
  #resolve(params: JsonObject): JsonObject {
    const hash = readHash(params);
    const { query, documentId } = params;
    if (typeof query === 'string' && query !== '' && hash !== null) this.#checkHash(hash, query);
    const id = typeof documentId === 'string' ? documentId : hash;
    if (query || id === null) return params;
    const text = this.#find(id) ?? this.#find(id.replace(/^sha256:/, ''));
    if (text === undefined)
      // Apollo's clients recognise this code and message, and send the text instead.
      throw new RefusedError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return { ...params, query: text };
  }

  [Symbol.dispose](): void {
    this.#registered[Symbol.dispose]();
  }

  /** Checks the hash of a text, and registers the text unless only trusted documents are executed. @throws RefusedError */
  #checkHash(hash: string, text: string): void {
    // The operator's ids need not be hashes, and a known text is not hashed again.
    if (this.#find(hash) === text) return;
    if (hashOf(text) !== hash)
      // The message is that of Apollo's servers, the code that of its router.
      throw new RefusedError('PERSISTED_QUERY_HASH_MISMATCH', 'provided sha does not match query');
    if (!this.#areEnforced) this.#registered.register(hash, text);
  }

  #find(id: string): string | undefined {
    return this.#documents.get(id) ?? this.#registered.get(id);
  }
}

/** The hash in the extension `persistedQuery` (Apollo); null for none. */
function readHash({ extensions }: JsonObject): string | null {
  const persisted = isObject(extensions) ? extensions['persistedQuery'] : null;
  const hash = isObject(persisted) ? persisted['sha256Hash'] : null;
  return typeof hash === 'string' ? hash : null;
}
