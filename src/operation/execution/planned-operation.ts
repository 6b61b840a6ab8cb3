// Finds the operation of a document, and keeps its plans.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { OperationPlan, type Variables } from './operation-plan.ts';

/** Plans that are kept of one operation: one for each set of conditions. */
const MAX_PLANS = 16;

/**
 * Largest number of planned fields for each field of the document in a plan that is kept. Nested fragments can select a million fields
 * in a short document; such a plan is made again for each execution.
 */
const MAX_FIELDS_RATIO = 4;

/** An operation of a document, for one schema. */
export class PlannedOperation {
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
export function findOperation(
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
