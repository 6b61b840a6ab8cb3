// Keeps parsed documents, within a bound on their length.
import { LRUCache } from 'lru-cache';

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;

/** Creates a cache from the text of a document. yoga's own is bounded by the number of documents, not by their length. */
export function createDocumentCache<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: (_value, text) => text.length + 1 });
}
