// Decides who may read the schema through introspection, and keeps what introspection has read.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type Token,
  TokenKind,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Session } from '../callers/session.ts';
import type { SchemaTexts } from '../schema/descriptions/schema-texts.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { Pause } from '../upstream/pause.ts';
import { IntrospectionRefusedError } from './errors.ts';
import type { LargeJson } from './results/large-json.ts';
import { largeValuesOf } from './results/results.ts';

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export const INTROSPECTION_ACCESS = ['on', 'authenticated', 'off'] as const;
export type IntrospectionAccess = (typeof INTROSPECTION_ACCESS)[number];

/** What is introspected: an operation, before its execution. */
type Introspected = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>;

/** Characters of all kept results together, as JSON. The schema of a large API takes a million and a half. */
const MAX_SIZE = 32_000_000;
/** Characters that a result counts at least. */
const MIN_SIZE = 64 * 1024;

/** Executes an operation whose result comes in one part. */
type ExecuteWhole = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** The introspection of one facade's schemas. */
export class Introspection {
  readonly #access: IntrospectionAccess;
  readonly #readsSchema = new WeakMap<DocumentNode, boolean>();
  /** The text that identifies a document's result; null when that depends on more than the schema. */
  readonly #texts = new WeakMap<DocumentNode, string | null>();
  /** The numbers of schemas, and of their texts in other languages. */
  readonly #numbers = new WeakMap<GraphQLSchema | SchemaTexts, number>();
  #numbered = 0;
  readonly #results = new LRUCache<string, ExecutionResult>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ data }) => Math.max(MIN_SIZE, (data && this.#json.lengthOf(data)) ?? 0),
  });
  /** Executions under way. */
  readonly #underWay = new Map<string, Promise<ExecutionResult>>();
  readonly #json: LargeJson;

  /** @param json Writes what is kept, and keeps it written. */
  constructor(access: IntrospectionAccess, json: LargeJson) {
    this.#access = access;
    this.#json = json;
  }

  /** Whether a caller may read the schema, also through names that errors suggest. */
  isOpenTo({ credential }: Caller): boolean {
    return this.#access === 'on' || (this.#access === 'authenticated' && credential !== null);
  }

  /** Refuses documents that read the schema to callers who may not. `__typename` is always allowed. @throws IntrospectionRefusedError */
  check(caller: Caller, { document, schema }: Introspected): void {
    if (this.#access === 'on' || this.isOpenTo(caller)) return;
    if (this.readsSchema(document, schema)) throw new IntrospectionRefusedError(this.#access);
  }

  /** Whether a document reads the schema, and so needs its texts. */
  readsSchema(document: DocumentNode, schema: GraphQLSchema): boolean {
    let readsSchema = this.#readsSchema.get(document);
    if (readsSchema === undefined) {
      readsSchema = readsSchemaOf(document, schema);
      this.#readsSchema.set(document, readsSchema);
    }
    return readsSchema;
  }

  /**
   * Finds the kept result of an introspection query, regardless of its whitespace: every tool sends such a query first. Undefined for
   * other operations, and for those with variables.
   */
  find(operation: Introspected, texts: SchemaTexts | null): ExecutionResult | undefined {
    const key = this.#keyOf(operation, texts);
    return key === null ? undefined : this.#results.get(key);
  }

  /**
   * Executes an operation, or returns the kept result of an introspection. Equal introspections share an execution: a large API takes a
   * third of a second.
   */
  execute(
    args: ExecutionArgs,
    execute: ExecuteWhole,
    { texts, pause }: Pick<Session, 'texts' | 'pause'>,
  ): ExecutionResult | Promise<ExecutionResult> {
    const key = this.#keyOf(args, texts);
    if (key === null) return execute(args);
    const kept = this.#results.get(key);
    if (kept !== undefined) return { ...kept };
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) {
      // The errors of another operation, whose client may have left, are not this one's.
      const executeOwn = () => this.execute(args, execute, { texts, pause });
      return underWay.then(
        (result) => (result.errors === undefined ? copy(result) : executeOwn()),
        executeOwn,
      );
    }
    const executing = this.#executeAndKeep(key, args, execute, pause).finally(() =>
      this.#underWay.delete(key),
    );
    this.#underWay.set(key, executing);
    return executing.then(copy);
  }

  async #executeAndKeep(
    key: string,
    args: ExecutionArgs,
    execute: ExecuteWhole,
    pause: Pause,
  ): Promise<ExecutionResult> {
    const result = await execute(args);
    if (result.errors !== undefined) return result;
    const large = largeValuesOf(result, MAX_SIZE);
    if ((await this.#json.write(large, MAX_SIZE, pause)) !== null)
      this.#results.set(key, this.#toKept(result));
    return result;
  }

  #toKept({ data, ...rest }: ExecutionResult): ExecutionResult {
    return { ...rest, data: data && this.#json.standInFor(data) } as ExecutionResult;
  }

  #keyOf({ schema, document, operationName }: Introspected, texts: SchemaTexts | null): string | null {
    let text = this.#texts.get(document);
    if (text === undefined) {
      text = isPureIntrospection(document) ? normalizeText(document) : null;
      this.#texts.set(document, text);
    }
    if (text === null) return null;
    return `${this.#numberOf(texts ?? schema)} ${operationName ?? ''} ${text}`;
  }

  #numberOf(shown: GraphQLSchema | SchemaTexts): number {
    let number = this.#numbers.get(shown);
    if (number === undefined) {
      this.#numbered += 1;
      number = this.#numbered;
      this.#numbers.set(shown, number);
    }
    return number;
  }
}

const copy = (result: ExecutionResult): ExecutionResult => ({ ...result });

function readsSchemaOf(document: DocumentNode, schema: GraphQLSchema): boolean {
  const fields = ['__schema', '__type', ...(schema.getType('_Service') ? ['_service'] : [])];
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= fields.includes(name.value);
    },
  });
  return found;
}

/**
 * The tokens of a document with a space between them: the same for documents that differ in space, commas and comments only. Null
 * for a document that was not parsed from a text. `print` of graphql-js takes ten times as long.
 */
function normalizeText({ loc }: DocumentNode): string | null {
  if (loc === undefined) return null;
  const { body } = loc.source;
  let text = '';
  for (let token: Token | null = loc.startToken; token !== null; token = token.next)
    if (token.kind !== TokenKind.COMMENT) text += `${body.slice(token.start, token.end)} `;
  return text;
}

/** Whether a document selects nothing but the schema and has no variables, so that its result depends on the schema alone. */
function isPureIntrospection(document: DocumentNode): boolean {
  return document.definitions.every((definition) => {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      return definition.typeCondition.name.value.startsWith('__');
    return (
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.variableDefinitions?.length === 0 &&
      definition.selectionSet.selections.every(
        (selection) =>
          selection.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(selection.name.value),
      )
    );
  });
}
