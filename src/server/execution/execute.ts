// Executes operations as graphql-js does, but plans each operation of a document once, which halves the processor time of lists.

import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import {
  assertValidSchema,
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { PerDocument } from '../documents/documents.ts';
import type { OnError } from '../operation-request.ts';
import type { Executed } from '../plugin.ts';
import { Execution } from './execution.ts';
import { OperationPlan, type Variables } from './operation-plan.ts';

/** Variable errors after which no further variables are read, as in graphql-js. */
const MAX_VARIABLE_ERRORS = 50;

/** The arguments of graphql-js, and that of the coming specification. */
export interface ExecuteArgs extends ExecutionArgs {
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError;
}

const operations = new PerDocument(() => new Map<string | null, PlannedOperation>());

/**
 * Executes a query, a mutation or an event of a subscription. The result is a promise only if a resolver returns one.
 * @param maxSize Characters of all texts in the result. Default: no limit. @throws ResultSizeError beyond it; a promise rejects with it.
 */
export function execute(
  args: ExecuteArgs,
  maxSize = Number.POSITIVE_INFINITY,
): ExecutionResult | Promise<ExecutionResult> {
  const operation = findPlanned(args);
  if (operation instanceof GraphQLError) return { errors: [operation] };
  const { errors, coerced } = getVariableValues(
    args.schema,
    operation.definition.variableDefinitions ?? [],
    args.variableValues ?? {},
    { maxErrors: MAX_VARIABLE_ERRORS },
  );
  if (errors !== undefined) return { errors };
  const execution = new Execution(operation.planFor(coerced), args, coerced, maxSize);
  const data = execution.run();
  return data instanceof Promise
    ? data.then((settled) => execution.toResult(settled))
    : execution.toResult(data);
}

function findPlanned({
  schema,
  document,
  operationName = null,
}: ExecutionArgs): PlannedOperation | GraphQLError {
  const ofDocument = operations.get(schema, document);
  const known = ofDocument.get(operationName);
  if (known !== undefined) return known;
  assertValidSchema(schema);
  const definition = getOperationAST(document, operationName);
  if (!definition) return new GraphQLError('Could not determine what operation to execute.');
  const operation = new PlannedOperation(schema, document, definition);
  ofDocument.set(operationName, operation);
  return operation;
}

/** Plans that are kept of one operation: one for each set of conditions. */
const MAX_PLANS = 16;

/** An operation of a document, for one schema. */
class PlannedOperation {
  readonly definition: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  /** Names of the variables that `@skip` and `@include` use. */
  readonly #conditionNames: readonly string[];
  readonly #plans = new Map<string, OperationPlan>();

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.definition = definition;
    this.#schema = schema;
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[node.name.value] = node;
    this.#conditionNames = readConditions(document);
  }

  /** Returns the plan for the conditions in the variables: the kept one, or a new one. */
  planFor(variables: Variables): OperationPlan {
    const given = this.#conditionNames.filter((name) => Object.hasOwn(variables, name));
    const conditions = Object.fromEntries(given.map((name) => [name, variables[name]]));
    const key = given.length === 0 ? '' : JSON.stringify(conditions);
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
      plan = new OperationPlan(this.#schema, this.definition, this.#fragments, conditions);
      this.#plans.set(key, plan);
    }
    return plan;
  }
}

/** The directives that decide which fields are selected. */
const CONDITIONAL = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/** Lists the variables that decide which fields of a document are selected. */
function readConditions(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: args = [] }) => {
      if (!CONDITIONAL.includes(name.value)) return;
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/** Opens the stream of a subscription. Returns a result where there is none. */
export async function subscribe(
  args: ExecutionArgs,
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
): Promise<Executed> {
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  return mapAsyncIterator(source, async (rootValue) => execute({ ...args, rootValue }));
}
