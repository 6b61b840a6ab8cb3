// Keeps parsed documents, within a bound on their length.
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;

/** Parsed documents, and the errors of those that cannot be parsed or are beyond a limit, by their text. */
export interface DocumentCaches {
  readonly documentCache: LRUCache<string, DocumentNode>;
  readonly errorCache: LRUCache<string, Error>;
  /** The errors of the validation of documents, for each schema. */
  readonly validated: WeakMap<GraphQLSchema, WeakMap<DocumentNode, readonly Error[]>>;
}

/** The document of a text that has been parsed and found valid; undefined for any other. */
export function findValid(
  { documentCache, validated }: DocumentCaches,
  schema: GraphQLSchema,
  text: string,
): DocumentNode | undefined {
  const document = documentCache.get(text);
  return document !== undefined && validated.get(schema)?.get(document)?.length === 0 ? document : undefined;
}

/** Creates the caches. yoga's own are bounded by the number of documents, not by their length. */
export const createDocumentCaches = (): DocumentCaches => ({
  documentCache: createCache(),
  errorCache: createCache(),
  validated: new WeakMap(),
});

const createCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: (_value, text) => text.length + 1 });
