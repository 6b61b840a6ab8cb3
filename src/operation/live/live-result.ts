// Holds the last result of a live query, for comparison and for clients who come later.
import { createHash } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { IncrementalResult, ResultWriter } from '../incremental/incremental-result.ts';

/** Characters of the data of all results together, and of one. What is not kept is read again when it is needed. */
const MAX_SIZE = 64 * 1024 * 1024;
const MAX_RESULT_SIZE = 1024 * 1024;

/** The texts of the data of results. */
export type ResultTexts = LRUCache<LiveResult, string>;

export const createResultTexts = (): ResultTexts =>
  new LRUCache({
    maxSize: MAX_SIZE,
    maxEntrySize: MAX_RESULT_SIZE,
    sizeCalculation: ({ length }) => length,
  });

/** A result as another replica gets it. */
export const sentResult = z.object({
  data: z.string(),
  errors: z.array(z.unknown()).readonly(),
  warnings: z.array(z.unknown()).readonly(),
});
export type SentResult = z.infer<typeof sentResult>;

/** The result of one execution. */
export class LiveResult {
  /** The same for results that do not differ. */
  readonly digest: string;
  readonly errors: readonly GraphQLError[];
  readonly warnings: readonly unknown[];
  /** What the execution has cost. */
  readonly cost: unknown;
  readonly #texts: ResultTexts;
  /** The data until all who wait have taken it. */
  #data: ExecutionResult['data'];
  /** How the data is written if it is large. */
  readonly #writer: Partial<ResultWriter>;

  /** @param json The JSON of the data, in pieces. */
  private constructor(texts: ResultTexts, json: readonly (string | Buffer)[], result: IncrementalResult) {
    const { errors = [], extensions = {}, data, encode } = result;
    this.#texts = texts;
    this.errors = errors;
    this.warnings = (extensions['warnings'] as readonly unknown[] | undefined) ?? [];
    this.cost = extensions['upstream'];
    this.#data = data;
    this.#writer = encode === undefined ? {} : { encode };
    const hash = createHash('sha256');
    for (const piece of json) hash.update(piece);
    this.digest = hash.update(JSON.stringify([errors.map(withoutRequest), this.warnings])).digest('base64');
    const size = json.reduce((sum, { length }) => sum + length, 0);
    if (size <= MAX_RESULT_SIZE) texts.set(this, json.join(''));
  }

  /** @param result It has data. */
  static of(texts: ResultTexts, result: IncrementalResult): LiveResult {
    const { data, encode } = result;
    const json = encode === undefined || !data ? [JSON.stringify(data)] : encode(data);
    return new LiveResult(texts, json, result);
  }

  /** Reads the result of another replica. */
  static received(texts: ResultTexts, { data, errors, warnings }: SentResult): LiveResult {
    const read = errors.map((error) => {
      const { message, path, extensions } = error as GraphQLError;
      return new GraphQLError(message, { path: path ?? null, extensions });
    });
    const extensions = { ...(warnings.length > 0 && { warnings }) };
    return new LiveResult(texts, [data], {
      data: JSON.parse(data),
      ...(read.length > 0 && { errors: read }),
      extensions,
    });
  }

  /** The text of the data; undefined if it is not kept. */
  get text(): string | undefined {
    return this.#texts.get(this);
  }

  /** The data, and how it is written; undefined if it is not kept. */
  get content(): Pick<IncrementalResult, 'data' | keyof ResultWriter> | undefined {
    if (this.#data !== undefined) return { data: this.#data, ...this.#writer };
    const { text } = this;
    return text === undefined ? undefined : { data: JSON.parse(text) };
  }

  /** What another replica gets; null if the data is not kept. */
  get sent(): SentResult | null {
    const { text, errors, warnings } = this;
    return text === undefined ? null : { data: text, errors: errors.map(withoutRequest), warnings };
  }

  /** Releases the data. Its text is kept if it is not too long. */
  release(): void {
    this.#data = undefined;
  }

  forget(): void {
    this.release();
    this.#texts.delete(this);
  }
}

/** What clients get of an error, but for the id of the request and places in its document. */
function withoutRequest({ message, path, extensions }: GraphQLError): object {
  const { requestId: _requestId, ...rest } = extensions;
  return { message, path, extensions: rest };
}
