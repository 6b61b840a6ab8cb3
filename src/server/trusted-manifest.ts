// Reads manifests of trusted documents.
import { parse } from 'graphql';
import { isObject } from '../upstream/json.ts';

/** The name of the manifests that Apollo's tools write. */
const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

/**
 * Reads a manifest of trusted documents: a map from ids to texts, or a manifest of Apollo's tools in version 1.
 * @throws TypeError when it is neither, when an id has two texts, and when a text is no GraphQL. The message names the id.
 */
export function parseTrustedDocuments(raw: unknown): ReadonlyMap<string, string> {
  const documents = new Map<string, string>();
  for (const [id, text] of listEntries(raw)) {
    const place = `document ${JSON.stringify(id)}`;
    if (typeof id !== 'string' || id === '' || typeof text !== 'string')
      throw new TypeError(`${place}: expected an id and the text of a document`);
    if ((documents.get(id) ?? text) !== text) throw new TypeError(`${place}: it has two different texts`);
    try {
      parse(text);
    } catch (error) {
      throw new TypeError(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
    documents.set(id, text);
  }
  return documents;
}

function listEntries(raw: unknown): readonly (readonly [id: unknown, text: unknown])[] {
  if (!isObject(raw)) throw new TypeError('expected an object with the text of each document by its id');
  const { format, version, operations } = raw;
  if (!Array.isArray(operations)) return Object.entries(raw);
  if (format !== APOLLO_FORMAT || version !== 1)
    throw new TypeError(`expected the format "${APOLLO_FORMAT}" in version 1`);
  return operations.map((operation) =>
    isObject(operation) ? [operation['id'], operation['body']] : [null, null],
  );
}
