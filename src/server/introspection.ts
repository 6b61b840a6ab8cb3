// Decides who may read the schema through introspection, and keeps what introspection has read.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../upstream/http/caller.ts';
import { IntrospectionRefusedError } from './errors.ts';

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export const INTROSPECTION_ACCESS = ['on', 'authenticated', 'off'] as const;
export type IntrospectionAccess = (typeof INTROSPECTION_ACCESS)[number];

/** What is introspected: an operation, before its execution. */
type Introspected = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>;

/** Kept results of introspection. That of a large API takes about 20 MB. */
const MAX_RESULTS = 8;

/** Executes an operation whose result comes in one part. */
type ExecuteWhole = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** The introspection of one facade's schemas. */
export class Introspection {
  readonly #access: IntrospectionAccess;
  readonly #readsSchema = new WeakMap<DocumentNode, boolean>();
  /** Results by schema, document and operation: every tool sends such a query first. */
  readonly #results = new LRUCache<string, ExecutionResult>({ max: MAX_RESULTS });
  /** The numbers of schemas and documents, of which keys are made. */
  readonly #numbers = new WeakMap<object, number>();
  #numbered = 0;

  constructor(access: IntrospectionAccess) {
    this.#access = access;
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

  /** Whether a document reads the schema. */
  readsSchema(document: DocumentNode, schema: GraphQLSchema): boolean {
    let readsSchema = this.#readsSchema.get(document);
    if (readsSchema === undefined) {
      readsSchema = readsSchemaOf(document, schema);
      this.#readsSchema.set(document, readsSchema);
    }
    return readsSchema;
  }

  /** Executes an operation, or returns the kept result of an introspection. One for a large API takes a third of a second. */
  execute(args: ExecutionArgs, execute: ExecuteWhole): ExecutionResult | Promise<ExecutionResult> {
    const { schema, document, operationName } = args;
    if (!this.readsSchema(document, schema) || !isPureIntrospection(document)) return execute(args);
    const key = `${this.#numberOf(schema)} ${this.#numberOf(document)} ${operationName ?? ''}`;
    const kept = this.#results.get(key);
    if (kept !== undefined) return kept;
    const result = execute(args);
    if (!(result instanceof Promise) && result.errors === undefined) this.#results.set(key, result);
    return result;
  }

  #numberOf(part: object): number {
    let number = this.#numbers.get(part);
    if (number === undefined) {
      this.#numbered += 1;
      number = this.#numbered;
      this.#numbers.set(part, number);
    }
    return number;
  }
}

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
