// Executes operations as graphql-js does, but plans each operation of a document once.
import {
  assertValidSchema,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { DEFER, STREAM } from '../../schema/incremental-directives.ts';
import { PerDocument } from '../documents/documents.ts';
import { type Delivered, Delivery } from '../incremental/delivery.ts';
import type { PartsFormat } from '../incremental/incremental-result.ts';
import type { OnError } from '../operation-request.ts';
import { Execution, type ExecutionOptions } from './execution.ts';
import { type Conditions, OperationPlan, type Variables } from './operation-plan.ts';
import { type ExecutionControl, FieldCount, Pauses } from './pauses.ts';
import type { ResponseObject } from './response.ts';

/** Variable errors after which graphql-js reads no further variables. */
const MAX_VARIABLE_ERRORS = 50;

/** The arguments of graphql-js, and that of the coming specification. */
export interface PlannedArgs extends ExecutionArgs {
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError;
}

/** Executes the operations of a server. */
export class PlannedExecution {
  /** By name; null for a document's only operation. */
  readonly #operations = new PerDocument(() => new Map<string | null, PlannedOperation>());
  readonly #controlOf: (context: unknown) => ExecutionControl;
  readonly #count: FieldCount;

  /**
   * @param controlOf Returns what controls the execution with a context.
   * @param interval Fields after which an execution asks whether it should pause. Default: 100, some tenths of a millisecond.
   */
  constructor(controlOf: (context: unknown) => ExecutionControl, interval = 100) {
    this.#controlOf = controlOf;
    this.#count = new FieldCount(interval);
  }

  /** Executes a query, a mutation or an event of a subscription. The result is a promise only if a resolver returns one, or in a pause. */
  readonly execute = (args: PlannedArgs): ExecutionResult | Promise<ExecutionResult> => {
    const found = this.#prepare(args);
    if (!('operation' in found)) return found;
    const { operation, variables } = found;
    const plan = operation.planFor(variables, false);
    const execution = new Execution(plan, this.#optionsOf(args, variables));
    const finish = (data: ResponseObject | null): ExecutionResult => {
      operation.keep(plan);
      return resultOf(data, execution);
    };
    const data = execution.run();
    return data instanceof Promise ? data.then(finish) : finish(data);
  };

  /** Whether the result of an operation may come in parts: its document has `@defer` or `@stream`. */
  isIncremental(args: ExecutionArgs): boolean {
    const operation = this.#findOperation(args);
    return operation instanceof PlannedOperation && operation.isIncremental;
  }

  /** Executes a query or a mutation whose deferred fragments and streamed items may come later. */
  readonly executeInParts = async (
    args: PlannedArgs,
    format: PartsFormat = 'path',
  ): Promise<ExecutionResult | Delivered> => {
    const found = this.#prepare(args);
    if (!('operation' in found)) return found;
    const { operation, variables } = found;
    const plan = operation.planFor(variables, true);
    const options = this.#optionsOf(args, variables);
    const delivery = new Delivery((whole) => new Execution(plan, options, whole), format);
    const data = await delivery.execution.run();
    operation.keep(plan);
    return delivery.follow(resultOf(data, delivery.execution));
  };

  /** Finds an operation, and reads its variables. Returns the errors of either. */
  #prepare(
    args: ExecutionArgs,
  ): { readonly operation: PlannedOperation; readonly variables: Variables } | ExecutionResult {
    const operation = this.#findOperation(args);
    if (operation instanceof GraphQLError) return { errors: [operation] };
    const { errors, coerced } = getVariableValues(
      args.schema,
      operation.definition.variableDefinitions ?? [],
      args.variableValues ?? {},
      { maxErrors: MAX_VARIABLE_ERRORS },
    );
    return errors === undefined ? { operation, variables: coerced } : { errors };
  }

  #optionsOf(
    { rootValue, contextValue, fieldResolver, typeResolver, onError = 'PROPAGATE' }: PlannedArgs,
    variables: Variables,
  ): ExecutionOptions {
    const pauses = new Pauses(this.#controlOf(contextValue), this.#count);
    const isPropagating = onError === 'PROPAGATE';
    return { rootValue, contextValue, fieldResolver, typeResolver, variables, pauses, isPropagating };
  }

  #findOperation({ schema, document, operationName = null }: ExecutionArgs): PlannedOperation | GraphQLError {
    const operations = this.#operations.get(schema, document);
    const known = operations.get(operationName);
    if (known !== undefined) return known;
    assertValidSchema(schema);
    const definition = findOperation(document, operationName);
    if (definition instanceof GraphQLError) return definition;
    const operation = new PlannedOperation(schema, document, definition);
    operations.set(operationName, operation);
    return operation;
  }
}

function resultOf(data: ResponseObject | null, { errors }: Execution): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data };
}

/** Plans that are kept of one operation: one for each set of conditions. */
const MAX_PLANS = 16;

/**
 * Largest number of planned fields for each field of the document in a plan that is kept. Nested fragments can select a million fields
 * in a short document; such a plan is made again for each execution.
 */
const MAX_FIELDS_RATIO = 4;

/** An operation of a document, for one schema. */
class PlannedOperation {
  readonly definition: OperationDefinitionNode;
  /** Whether the document has `@defer` or `@stream`, which graphql-js 16 does not know. */
  readonly isIncremental: boolean;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  readonly #maxFields: number;
  /** Names of the variables that `@skip`, `@include` and `@defer` use. */
  readonly #conditionNames: readonly string[];
  readonly #plans = new Map<string, OperationPlan>();

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.definition = definition;
    this.#schema = schema;
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[node.name.value] = node;
    const { conditions, fields, isIncremental } = readDocument(document);
    this.isIncremental = isIncremental;
    this.#conditionNames = conditions;
    this.#maxFields = MAX_FIELDS_RATIO * fields;
  }

  /** Returns the plan for the conditions in the variables: the kept one, or a new one. */
  planFor(variables: Variables, inParts: boolean): OperationPlan {
    const prefix = inParts ? 'in parts ' : '';
    if (this.#conditionNames.length === 0)
      return this.#plans.get(prefix) ?? this.#createPlan({ key: prefix, variables: {}, inParts });
    const given = this.#conditionNames.filter((name) => Object.hasOwn(variables, name));
    const conditions = Object.fromEntries(given.map((name) => [name, variables[name]]));
    const key = prefix + JSON.stringify(conditions);
    return this.#plans.get(key) ?? this.#createPlan({ key, variables: conditions, inParts });
  }

  #createPlan(conditions: Conditions): OperationPlan {
    return new OperationPlan(this.#schema, this.definition, this.#fragments, conditions);
  }

  /** Keeps a plan for further executions, unless it is too large. */
  keep(plan: OperationPlan): void {
    const { key } = plan.conditions;
    if (plan.size > this.#maxFields) this.#plans.delete(key);
    else if (this.#plans.get(key) !== plan) {
      if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
      this.#plans.set(key, plan);
    }
  }
}

/** The directives that decide which fields are selected, or in which part. */
const CONDITIONAL = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name, DEFER.name];

/** Returns the number of fields in a document, the variables that decide which of them are selected, and whether some may come later. */
function readDocument(document: DocumentNode): {
  readonly fields: number;
  readonly conditions: readonly string[];
  readonly isIncremental: boolean;
} {
  const conditions = new Set<string>();
  let fields = 0;
  let isIncremental = false;
  visit(document, {
    Field: () => {
      fields += 1;
    },
    Directive: ({ name, arguments: args = [] }) => {
      isIncremental ||= name.value === DEFER.name || name.value === STREAM.name;
      if (!CONDITIONAL.includes(name.value)) return;
      for (const { value } of args) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
  });
  return { fields, conditions: [...conditions], isIncremental };
}

/** Finds the operation of a document to execute. Returns an error when the name does not determine it. */
function findOperation(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | GraphQLError {
  const operations = document.definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  );
  if (name === null || name === undefined) {
    const [operation, ...others] = operations;
    if (operation === undefined) return new GraphQLError('Must provide an operation.');
    return others.length === 0
      ? operation
      : new GraphQLError('Must provide operation name if query contains multiple operations.');
  }
  return (
    operations.findLast((operation) => operation.name?.value === name) ??
    new GraphQLError(`Unknown operation named "${name}".`)
  );
}
