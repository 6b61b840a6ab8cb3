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
import { PerDocument } from './documents/documents.ts';
import { RefusedError } from './errors.ts';
import { findOperation, type PlannedOperation } from './execution/operation-plan.ts';

/** Who may read the schema: everybody, callers with a credential, or nobody. */
export const INTROSPECTION_ACCESS = ['on', 'authenticated', 'off'] as const;
export type IntrospectionAccess = (typeof INTROSPECTION_ACCESS)[number];

/** Kept results of introspection. That of a large API takes about 20 MB. */
const MAX_RESULTS = 4;

/** Executes an operation whose result comes in one part. */
type ExecuteWhole = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** What a document reads: nothing of the schema, something of it, or nothing else and that without variables. */
interface Reading {
  kind: 'data' | 'schema and data' | 'schema' | null;
}

/** The introspection of one facade's schemas. */
export class Introspection {
  readonly #access: IntrospectionAccess;
  readonly #readings = new PerDocument<Reading>(() => ({ kind: null }));
  /** Every tool sends such a query first, and one for a large API takes a third of a second. */
  readonly #results = new LRUCache<PlannedOperation, ExecutionResult>({ max: MAX_RESULTS });

  constructor(access: IntrospectionAccess) {
    this.#access = access;
  }

  /** Whether a caller may read the schema, also through names that errors suggest. */
  isOpenTo({ credential }: Caller): boolean {
    return this.#access === 'on' || (this.#access === 'authenticated' && credential !== null);
  }

  /** Refuses documents that read the schema to callers who may not. `__typename` is always allowed. @throws RefusedError */
  check(caller: Caller, { document, schema }: Pick<ExecutionArgs, 'schema' | 'document'>): void {
    if (this.#access === 'on' || this.isOpenTo(caller)) return;
    if (this.#kindOf(document, schema) !== 'data') throw createRefusal(this.#access);
  }

  /** Executes an operation, or returns the kept result of one that reads nothing but the schema. */
  execute(args: ExecutionArgs, execute: ExecuteWhole): ExecutionResult | Promise<ExecutionResult> {
    const { schema, document, operationName } = args;
    if (this.#kindOf(document, schema) !== 'schema') return execute(args);
    const operation = findOperation(schema, document, operationName);
    const kept = operation && this.#results.get(operation);
    if (kept) return kept;
    const result = execute(args);
    if (operation !== null && !(result instanceof Promise) && result.errors === undefined)
      this.#results.set(operation, result);
    return result;
  }

  #kindOf(document: DocumentNode, schema: GraphQLSchema): Reading['kind'] {
    const reading = this.#readings.get(schema, document);
    reading.kind ??= readingOf(document, schema);
    return reading.kind;
  }
}

const createRefusal = (access: IntrospectionAccess): RefusedError =>
  new RefusedError(
    'INTROSPECTION_REFUSED',
    access === 'off'
      ? 'Introspection is turned off on this server.'
      : 'Introspection needs a credential on this server; sign in first.',
  );

function readingOf(document: DocumentNode, schema: GraphQLSchema): Reading['kind'] {
  const fields = ['__schema', '__type', ...(schema.getType('_Service') ? ['_service'] : [])];
  let readsSchema = false;
  visit(document, {
    Field: ({ name }) => {
      readsSchema ||= fields.includes(name.value);
    },
  });
  if (!readsSchema) return 'data';
  const isPure = document.definitions.every((definition) => {
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
  return isPure ? 'schema' : 'schema and data';
}
