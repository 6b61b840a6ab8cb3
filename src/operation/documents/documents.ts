// Parses and validates documents: each once, as long as it is kept.
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Pause } from '../../upstream/pause.ts';
import { runWithPauses, type Steps, withoutStacks } from '../../upstream/steps.ts';
import type { Limits } from '../limits.ts';
import type { OperationParams } from '../operation-request.ts';
import { checkDocument, checkJson, checkValues, readTokens } from './document-size.ts';
import { validationSteps } from './validation/validate-document.ts';

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;

/** Characters of a document that is read within one turn. */
const SHORT = 4_096;

/** Characters of JSON that cannot have many values or levels. */
const SHORT_JSON = 1_000;

/** Bytes of an answer that take as much memory as one character of a document. That takes 94 with its tokens, and each of these two. */
export const ANSWER_BYTES_OF_CHARACTER = 47;

/** What is known of a document and a schema. */
interface Validation {
  /** Null until it is validated. */
  errors: readonly GraphQLError[] | null;
}

/** The parsed and validated documents of a facade. The caches are bounded by the length of the documents, not by their number. */
export class Documents {
  readonly #limits: Limits['document'];
  readonly #documents = createCache<DocumentNode>();
  /** The errors of texts that cannot be parsed, or are beyond a limit. */
  readonly #failures = createCache<Error>();
  readonly #validations = new PerDocument<Validation>(() => ({ errors: null }));

  constructor(limits: Limits['document']) {
    this.#limits = limits;
  }

  /** Whether it takes many turns to read a text, and much memory meanwhile. */
  isLong(text: string): boolean {
    return text.length > SHORT && !this.#documents.has(text) && !this.#failures.has(text);
  }

  /**
   * Parses a text within the limits.
   * @param onNew Called before a text is parsed that is not kept.
   * @returns A promise only if a pause was due.
   * @throws GraphQLError when it has no syntax or is beyond a limit. A promise rejects with it.
   */
  parse(text: string, onNew: () => void, pause: Pause): DocumentNode | Promise<DocumentNode> {
    return this.#find(text) ?? runWithPauses(this.#parsingSteps(text, onNew), pause);
  }

  /** Checks JSON that a client sends, before it is parsed. @param what For messages. @throws DocumentLimitError */
  checkJson(text: string, what: string): void {
    if (text.length > SHORT_JSON) checkJson(text, what, this.#limits);
  }

  /** Checks the values beside a document. @throws DocumentLimitError when they are too many. */
  checkValues({ variables, extensions }: OperationParams): void {
    if (variables != null) checkValues('variables', variables, this.#limits);
    if (extensions != null) checkValues('extensions', extensions, this.#limits);
  }

  /** @throws the kept error of a text. */
  #find(text: string): DocumentNode | undefined {
    const known = this.#documents.get(text);
    if (known !== undefined) return known;
    const failure = this.#failures.get(text);
    if (failure !== undefined) throw failure;
    return undefined;
  }

  *#parsingSteps(text: string, onNew: () => void): Steps<DocumentNode> {
    onNew();
    try {
      const document = yield* withoutStacks(this.#readSteps(text));
      this.#documents.set(text, document);
      return document;
    } catch (error) {
      if (error instanceof Error) this.#failures.set(text, error);
      throw error;
    }
  }

  *#readSteps(text: string): Steps<DocumentNode> {
    const lexer = yield* readTokens(text, this.#limits);
    const document = parse(text, { lexer });
    yield;
    checkDocument(document, this.#limits);
    return document;
  }

  /**
   * Validates a document by the rules of the specification. The errors are shared, so they must not be changed.
   * @returns A promise only if a pause was due.
   */
  validate(
    schema: GraphQLSchema,
    document: DocumentNode,
    pause: Pause,
  ): readonly GraphQLError[] | Promise<readonly GraphQLError[]> {
    const validation = this.#validations.get(schema, document);
    return validation.errors ?? runWithPauses(keepErrors(validation, schema, document), pause);
  }

  /** Forgets all texts, for example because the limits have changed. */
  clear(): void {
    this.#documents.clear();
    this.#failures.clear();
  }
}

function* keepErrors(
  validation: Validation,
  schema: GraphQLSchema,
  document: DocumentNode,
): Steps<readonly GraphQLError[]> {
  validation.errors = yield* withoutStacks(validationSteps(schema, document));
  return validation.errors;
}

const createCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: (_value, text) => text.length + 1 });

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
