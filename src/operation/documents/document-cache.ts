// Keeps parsed documents, within a bound on their length.
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PerDocument } from './per-document.ts';

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;

/** The validation of a document. */
export interface Validation {
  /** Null before it. */
  errors: readonly Error[] | null;
}

/** Parsed documents, and the errors of those that cannot be parsed or are beyond a limit, by their text. */
export interface DocumentCaches {
  readonly documentCache: LRUCache<string, DocumentNode>;
  readonly errorCache: LRUCache<string, Error>;
  readonly validations: PerDocument<Validation>;
}

/** The document of a text that has been parsed and found valid; undefined for any other. */
export function findValid(
  { documentCache, validations }: DocumentCaches,
  schema: GraphQLSchema,
  text: string,
): DocumentNode | undefined {
  const document = documentCache.get(text);
  if (document === undefined) return undefined;
  return validations.get(schema, document).errors?.length === 0 ? document : undefined;
}

/** Creates the caches. yoga's own are bounded by the number of documents, not by their length. */
export const createDocumentCaches = (): DocumentCaches => ({
  documentCache: createCache(),
  errorCache: createCache(),
  validations: new PerDocument(() => ({ errors: null })),
});

const createCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: (_value, text) => text.length + 1 });
