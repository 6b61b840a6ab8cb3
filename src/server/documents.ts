// Parses and validates documents within their limits, and decides who may read the schema by introspection: each once, as long as it is kept.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Session } from '../callers/session.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { RefusedError } from './errors.ts';
import type { Limits } from './limits.ts';

/** The names of the directives in documents. */
const directives = new WeakMap<DocumentNode, ReadonlySet<string>>();

/** Returns the names of the directives in a document, which is searched once. */
export function directivesOf(document: DocumentNode): ReadonlySet<string> {
  const known = directives.get(document);
  if (known !== undefined) return known;
  const found = new Set<string>();
  visit(document, { Directive: ({ name }) => void found.add(name.value) });
  directives.set(document, found);
  return found;
}

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export const INTROSPECTION_ACCESS = ['on', 'authenticated', 'off'] as const;
export type IntrospectionAccess = (typeof INTROSPECTION_ACCESS)[number];

/** Characters of all documents together. A parsed document takes hundreds of bytes for each. */
const MAX_SIZE = 500_000;
/** Errors of a validation after which graphql-js ends it. */
const MAX_ERRORS = 20;

/** A document is beyond a limit. */
export class DocumentLimitError extends GraphQLError {}

/** The errors of a document that is not valid. */
export class InvalidDocumentError extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The document is not valid.');
    this.errors = errors;
  }
}

type DocumentLimits = Pick<Limits, 'documentSize' | 'documentTokens' | 'repeatedFields'>;

/** Kept results of introspection. That of a large API takes about 20 MB. */
const MAX_RESULTS = 4;

/** What a document reads of the schema. With `only`, it has one operation, whose result is always the same. */
interface Introspection {
  readonly reads: 'nothing' | 'something' | 'only';
}

/** The documents of a facade. The cache of texts is bounded by their length, not by their number. */
export class Documents {
  readonly #limits: DocumentLimits;
  readonly #access: IntrospectionAccess;
  readonly #documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_SIZE,
    sizeCalculation: (_document, text) => text.length + 1,
  });
  readonly #validations = new PerDocument(validateOnce);
  readonly #introspections = new PerDocument(findIntrospection);
  /** Every tool sends such a query first, and one for a large API takes a third of a second. */
  readonly #results = new LRUCache<Introspection, ExecutionResult>({ max: MAX_RESULTS });

  constructor(limits: DocumentLimits, access: IntrospectionAccess = 'on') {
    this.#limits = limits;
    this.#access = access;
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
    return this.#validations.get(schema, document);
  }

  /** Whether a caller may read the schema, also through names that errors suggest. */
  isOpenTo({ credential }: Caller): boolean {
    return this.#access === 'on' || (this.#access === 'authenticated' && credential !== null);
  }

  /** Refuses documents that read the schema to callers who may not. `__typename` is always allowed. @throws RefusedError */
  checkIntrospection(schema: GraphQLSchema, document: DocumentNode): void {
    if (this.#introspections.get(schema, document).reads === 'nothing') return;
    throw new RefusedError(
      'INTROSPECTION_REFUSED',
      this.#access === 'off'
        ? 'Introspection is turned off on this server.'
        : 'Introspection needs a credential on this server; sign in first.',
    );
  }

  /** Executes an operation, or returns the kept result of one that reads nothing but the schema. */
  execute<R extends ExecutionResult | Promise<ExecutionResult>>(
    args: ExecutionArgs,
    execute: (args: ExecutionArgs) => R,
  ): R | ExecutionResult {
    const introspection = this.#introspections.get(args.schema, args.document);
    if (introspection.reads !== 'only') return execute(args);
    const kept = this.#results.get(introspection);
    if (kept !== undefined) return kept;
    const result = execute(args);
    if (!(result instanceof Promise) && result.errors === undefined) this.#results.set(introspection, result);
    return result;
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

const validateOnce = (schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] =>
  validate(schema, document, undefined, { maxErrors: MAX_ERRORS });

function findIntrospection(schema: GraphQLSchema, document: DocumentNode): Introspection {
  const names = new Set(['__schema', '__type', ...(schema.getType('_Service') ? ['_service'] : [])]);
  let readsSchema = false;
  visit(document, {
    Field: ({ name }) => {
      readsSchema ||= names.has(name.value);
    },
  });
  if (!readsSchema) return { reads: 'nothing' };
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const isPure = operations.length === 1 && document.definitions.every(readsOnlySchema);
  return { reads: isPure ? 'only' : 'something' };
}

/** Whether a definition reads nothing but the schema, and that without variables. */
function readsOnlySchema(definition: DocumentNode['definitions'][number]): boolean {
  if (definition.kind === Kind.FRAGMENT_DEFINITION)
    return definition.typeCondition.name.value.startsWith('__');
  return (
    definition.kind === Kind.OPERATION_DEFINITION &&
    definition.variableDefinitions?.length === 0 &&
    definition.selectionSet.selections.every(
      (one) => one.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(one.name.value),
    )
  );
}

/** What graphql-js says of a field or a type that the schema lacks. Suggestions follow. */
const LACK = /^(?:Cannot query field "(?<field>\w+)" on type|Unknown type) "(?<type>\w+)"\./;

/**
 * Adds a hint to each error about a field or type that the caller's schema lacks and another caller's has. It shows that the element
 * exists, and nothing else. Callers without a credential get none.
 * @param schemas Returns the schemas of all callers.
 */
export function addRightsHints(
  errors: readonly GraphQLError[],
  session: Session,
  schemas: () => Iterable<GraphQLSchema>,
): readonly GraphQLError[] {
  if (session.caller.credential === null) return errors;
  return errors.map((error) => {
    const lack = LACK.exec(error.message);
    if (lack === null) return error;
    const { type: typeName = '', field } = lack.groups ?? {};
    const isKnown = [...schemas()].some((schema) => {
      const type = schema.getType(typeName);
      return type && (field === undefined || ('getFields' in type && field in type.getFields()));
    });
    if (!isKnown) return error;
    session.revalidateRights();
    const { nodes = null, extensions } = error;
    return new GraphQLError(`${lack[0]} It needs other rights than yours.`, { nodes, extensions });
  });
}

/** One value for each document of each schema, for as long as both exist. */
export class PerDocument<V> {
  readonly #bySchema = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, V>>();
  readonly #create: (schema: GraphQLSchema, document: DocumentNode) => V;

  /** @param create Makes the value of a document that has none. */
  constructor(create: (schema: GraphQLSchema, document: DocumentNode) => V) {
    this.#create = create;
  }

  get(schema: GraphQLSchema, document: DocumentNode): V {
    const known = this.#bySchema.get(schema)?.get(document);
    if (known !== undefined) return known;
    const value = this.#create(schema, document);
    const values = this.#bySchema.get(schema) ?? new WeakMap<DocumentNode, V>();
    this.#bySchema.set(schema, values.set(document, value));
    return value;
  }
}
