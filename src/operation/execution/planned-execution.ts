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
import { PerDocument } from '../documents/documents.ts';
import { type AbandonedSignal, Execution, type ResponseObject } from './execution.ts';
import { OperationPlan, type Variables } from './operation-plan.ts';

/** Variable errors after which graphql-js reads no further variables. */
const MAX_VARIABLE_ERRORS = 50;

/** Executes the operations of a server. */
export class PlannedExecution {
  /** By name; null for a document's only operation. */
  readonly #operations = new PerDocument(() => new Map<string | null, PlannedOperation>());
  readonly #abandonedOf: (context: unknown) => AbandonedSignal | undefined;

  /** @param abandonedOf Returns the signal that aborts when nobody waits for the result of an operation. */
  constructor(abandonedOf: (context: unknown) => AbandonedSignal | undefined = () => undefined) {
    this.#abandonedOf = abandonedOf;
  }

  /** Executes a query, a mutation or an event of a subscription. The result is a promise only if a resolver returns one. */
  readonly execute = (args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> => {
    const { schema, options, hideSuggestions = false } = args;
    const operation = this.#findOperation(args);
    if (operation instanceof GraphQLError) return { errors: [operation] };
    const { errors, coerced } = getVariableValues(
      schema,
      operation.definition.variableDefinitions ?? [],
      args.variableValues ?? {},
      {
        maxErrors: options?.maxCoercionErrors ?? MAX_VARIABLE_ERRORS,
        hideSuggestions: hideSuggestions ?? false,
      },
    );
    return errors === undefined ? this.#run(operation, coerced, args) : { errors };
  };

  #run(
    operation: PlannedOperation,
    variables: Variables,
    args: ExecutionArgs,
  ): ExecutionResult | Promise<ExecutionResult> {
    const plan = operation.planFor(variables);
    const { rootValue, contextValue, fieldResolver, typeResolver } = args;
    const abandoned = this.#abandonedOf(contextValue);
    const options = { rootValue, contextValue, fieldResolver, typeResolver, variables, abandoned };
    const execution = new Execution(plan, options);
    const finish = (data: ResponseObject | null): ExecutionResult => {
      operation.keep(plan);
      const { errors } = execution;
      return errors.length === 0 ? { data } : { errors, data };
    };
    const data = execution.run();
    return data instanceof Promise ? data.then(finish) : finish(data);
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
  readonly #schema: GraphQLSchema;
  readonly #fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  readonly #maxFields: number;
  /** Names of the variables that `@skip` and `@include` use. */
  readonly #conditionNames: readonly string[];
  readonly #plans = new Map<string, OperationPlan>();

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.definition = definition;
    this.#schema = schema;
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[node.name.value] = node;
    const { conditions, fields } = readDocument(document);
    this.#conditionNames = conditions;
    this.#maxFields = MAX_FIELDS_RATIO * fields;
  }

  /** Returns the plan for the conditions in the variables: the kept one, or a new one. */
  planFor(variables: Variables): OperationPlan {
    if (this.#conditionNames.length === 0) return this.#plans.get('') ?? this.#createPlan('', {});
    const given = this.#conditionNames.filter((name) => Object.hasOwn(variables, name));
    const conditions = Object.fromEntries(given.map((name) => [name, variables[name]]));
    const key = JSON.stringify(conditions);
    return this.#plans.get(key) ?? this.#createPlan(key, conditions);
  }

  #createPlan(key: string, conditions: Variables): OperationPlan {
    return new OperationPlan(this.#schema, this.definition, this.#fragments, { key, variables: conditions });
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

/** Returns the number of fields in a document, and the variables that decide which of them are selected. */
function readDocument(document: DocumentNode): {
  readonly fields: number;
  readonly conditions: readonly string[];
} {
  const conditions = new Set<string>();
  let fields = 0;
  visit(document, {
    Field: () => {
      fields += 1;
    },
    Directive: ({ name, arguments: args = [] }) => {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return;
      for (const { value } of args) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
  });
  return { fields, conditions: [...conditions] };
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
