// Parses and validates documents within their limits: each once, as long as it is kept.
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Limits } from '../limits.ts';

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;

/** Errors of a validation after which graphql-js ends it. */
const MAX_ERRORS = 20;

/** A document is beyond a limit. */
export class DocumentLimitError extends GraphQLError {}

type DocumentLimits = Pick<Limits, 'documentSize' | 'documentTokens' | 'repeatedFields'>;

/** The parsed and validated documents of a facade. The caches are bounded by the length of the documents, not by their number. */
export class Documents {
  readonly #limits: DocumentLimits;
  readonly #documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_SIZE,
    sizeCalculation: (_document, text) => text.length + 1,
  });
  readonly #validations = new PerDocument<{ errors: readonly GraphQLError[] | null }>(() => ({
    errors: null,
  }));

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  /**
   * Parses a text.
   * @param onNew Called before a text is parsed that is not kept.
   * @throws GraphQLError when it has no syntax, DocumentLimitError when it is beyond a limit.
   */
  parse(text: string, onNew: () => void): DocumentNode {
    let document = this.#documents.get(text);
    if (document === undefined) {
      onNew();
      document = parseWithin(text, this.#limits);
      this.#documents.set(text, document);
    }
    return document;
  }

  /** Validates a document by the rules of the specification. The errors are shared, so they must not be changed. */
  validate(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
    const validation = this.#validations.get(schema, document);
    validation.errors ??= validate(schema, document, undefined, { maxErrors: MAX_ERRORS });
    return validation.errors;
  }
}

function parseWithin(
  text: string,
  { documentSize, documentTokens, repeatedFields }: DocumentLimits,
): DocumentNode {
  if (text.length > documentSize)
    throw new DocumentLimitError(
      `The document has more than ${documentSize} characters. Send long values as variables.`,
    );
  const document = parse(text, { maxTokens: documentTokens });
  visit(document, {
    SelectionSet: (selectionSet) => checkRepeated(selectionSet, repeatedFields),
  });
  return document;
}

/** Validation compares the fields of a selection set that have the same name in pairs. */
function checkRepeated({ selections }: SelectionSetNode, limit: number): void {
  if (selections.length <= limit) return;
  const counts = new Map<string, number>();
  for (const selection of selections) {
    const name = selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : '...';
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count > limit)
      throw new DocumentLimitError(
        name === '...'
          ? `A selection set has more than ${limit} fragments.`
          : `A selection set repeats the field "${name}" more than ${limit} times.`,
      );
  }
}

/** One value for each document of each schema, for as long as both exist. */
export class PerDocument<V> {
  readonly #bySchema = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, V>>();
  readonly #create: () => V;

  /** @param create Makes the value of a document that has none. */
  constructor(create: () => V) {
    this.#create = create;
  }

  get(schema: GraphQLSchema, document: DocumentNode): V {
    let values = this.#bySchema.get(schema);
    if (values === undefined) {
      values = new WeakMap();
      this.#bySchema.set(schema, values);
    }
    let value = values.get(document);
    if (value === undefined) {
      value = this.#create();
      values.set(document, value);
    }
    return value;
  }
}
