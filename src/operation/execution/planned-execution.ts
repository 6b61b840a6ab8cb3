// Executes operations as graphql-js does, but plans each operation of a document once.
import {
  assertValidSchema,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getVariableValues,
} from 'graphql';
import { PerDocument } from '../documents/per-document.ts';
import { type AbandonedSignal, Execution, type ResponseObject } from './execution.ts';
import type { Variables } from './operation-plan.ts';
import { findOperation, PlannedOperation } from './planned-operation.ts';

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
