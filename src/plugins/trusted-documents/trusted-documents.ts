// Finds the document that a request names by its id: one that the operator trusts, or one that a client has registered.
import { hash as digest } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RefusedError } from '../../server/errors.ts';
import type { OperationPlugin } from '../../server/plugin.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';

/** Documents that the operator trusts. */
export interface TrustedDocumentsOptions {
  /** `allow`: clients may send other documents too. `enforce`: only these are executed, introspection included. */
  readonly mode: 'allow' | 'enforce';
  /** The documents by id, as `parseTrustedDocuments` reads them. */
  readonly documents: ReadonlyMap<string, string>;
}

/** Bounds of the registered documents, in characters: all of them, and each. Larger ones are executed, but not remembered. */
const REGISTERED = { maxSize: 8_388_608, maxEntrySize: 262_144 };

/** Starts the plugin. @param options Null: no document is trusted, and clients may send and register any. */
export function useTrustedDocuments(options: TrustedDocumentsOptions | null): OperationPlugin {
  const documents: ReadonlyMap<string, string> = options?.documents ?? new Map();
  const texts = new Set(documents.values());
  const areEnforced = options?.mode === 'enforce';
  /** By hash. Any client may name one, because the hash of a text names only that text. */
  const registered = new LRUCache<string, string>(REGISTERED);
  const find = (id: string): string | undefined => documents.get(id) ?? registered.get(id);

  /** Checks the hash of a text, and registers the text unless only trusted documents are executed. @throws RefusedError */
  const checkHash = (hash: string, text: string): void => {
    // The operator's ids need not be hashes, and a known text is not hashed again.
    if (find(hash) === text) return;
    if (digest('sha256', text) !== hash)
      // The message is that of Apollo's servers, the code that of its router.
      throw new RefusedError('PERSISTED_QUERY_HASH_MISMATCH', 'provided sha does not match query');
    if (!areEnforced) registered.set(hash, text, { size: text.length + hash.length });
  };

  /**
   * Replaces the id of a document by its text. A request with a text keeps it: clients send both when they repeat a request whose
   * id was unknown, and register the text by its hash. An empty text counts as none, because WebSocket messages must contain one.
   * @throws RefusedError when there is no text, and the id is unknown, or the text has another hash than the one sent with it.
   */
  const resolve = (params: JsonObject): JsonObject => {
    const hash = readHash(params);
    const { query, documentId } = params;
    if (typeof query === 'string' && query !== '' && hash !== null) checkHash(hash, query);
    const id = typeof documentId === 'string' ? documentId : hash;
    if (query || id === null) return params;
    const text = find(id) ?? find(id.replace(/^sha256:/, ''));
    if (text === undefined)
      // Apollo's clients recognise this code and message, and send the text instead.
      throw new RefusedError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return { ...params, query: text };
  };

  return {
    onParams(sent, request) {
      // A body may be anything.
      if (!isObject(sent)) return sent;
      const params = resolve(sent);
      const { query } = params;
      request.isTrusted = typeof query === 'string' && texts.has(query);
      if (areEnforced && !request.isTrusted && typeof query === 'string')
        throw new RefusedError(
          'DOCUMENT_UNTRUSTED',
          'This server executes only the documents that its operator has listed; send the id or the exact text of one of them.',
        );
      return params;
    },
  };
}

/** The hash in the extension `persistedQuery` (Apollo); null for none. */
function readHash({ extensions }: JsonObject): string | null {
  const persisted = isObject(extensions) ? extensions['persistedQuery'] : null;
  const hash = isObject(persisted) ? persisted['sha256Hash'] : null;
  return typeof hash === 'string' ? hash : null;
}
