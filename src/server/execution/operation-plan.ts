// Plans the operations of documents: which fields are selected for each type of object, and what their resolvers get.
import {
  assertValidSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql';
import { collectFields } from '../../schema/resolve/selection.ts';
import { PerDocument } from '../documents.ts';
import { type Completion, completionOf } from './complete-value.ts';

/** Coerced variables by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** Argument values by name. All rows of a list have the same, so resolvers must not change them. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/** The fields that are selected for one type of object, in the order of the response. */
export type Selection = readonly FieldPlan[];

/** Plans that are kept of one operation: one for each set of conditions. */
const MAX_PLANS = 16;
/** The directives that decide which fields are selected. */
const CONDITIONAL = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/** An operation of a document, for one schema. */
export class PlannedOperation {
  readonly definition: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  /** Names of the variables that `@skip` and `@include` use. */
  readonly #conditionNames: readonly string[];
  readonly #plans = new Map<string, OperationPlan>();

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.definition = definition;
    this.#schema = schema;
    const names = new Set<string>();
    visit(document, {
      FragmentDefinition: (node) => {
        this.#fragments[node.name.value] = node;
      },
      Directive: ({ name, arguments: args = [] }) => {
        if (!CONDITIONAL.includes(name.value)) return;
        for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      },
    });
    this.#conditionNames = [...names];
  }

  /** Returns the plan for the conditions in the variables: the kept one, or a new one. */
  planFor(variables: Variables): OperationPlan {
    const key = this.#conditionNames.length === 0 ? '' : JSON.stringify(this.#conditionsIn(variables));
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
      plan = this.createPlan(variables);
      this.#plans.set(key, plan);
    }
    return plan;
  }

  /** Makes a plan that is not kept. */
  createPlan(variables: Variables): OperationPlan {
    const conditions = this.#conditionsIn(variables);
    return new OperationPlan(this.#schema, this.definition, this.#fragments, conditions);
  }

  #conditionsIn(variables: Variables): Variables {
    const given = this.#conditionNames.filter((name) => Object.hasOwn(variables, name));
    return Object.fromEntries(given.map((name) => [name, variables[name]]));
  }
}

const operations = new PerDocument(() => new Map<string | null, PlannedOperation>());

/** Finds an operation. @param operationName Null for the only one. Null when the document has no such operation. */
export function findOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined = null,
): PlannedOperation | null {
  const ofDocument = operations.get(schema, document);
  const known = ofDocument.get(operationName);
  if (known !== undefined) return known;
  assertValidSchema(schema);
  const definition = getOperationAST(document, operationName);
  if (!definition) return null;
  const operation = new PlannedOperation(schema, document, definition);
  ofDocument.set(operationName, operation);
  return operation;
}

/** The plan of an operation for one set of conditions. Each selection is planned when it is first needed. */
export class OperationPlan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly #conditions: Variables;
  #root: Selection | undefined;

  /** @param conditions The variables that `@skip` and `@include` use. */
  constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Record<string, FragmentDefinitionNode>,
    conditions: Variables,
  ) {
    this.schema = schema;
    this.operation = operation;
    this.fragments = fragments;
    this.#conditions = conditions;
  }

  /** The selection of the operation itself. @throws GraphQLError when the schema has no such operations. */
  get root(): Selection {
    if (this.#root !== undefined) return this.#root;
    const { operation } = this;
    const type = this.schema.getRootType(operation.operation);
    if (!type)
      throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, {
        nodes: operation,
      });
    this.#root = this.#select(type, [operation.selectionSet]);
    return this.#root;
  }

  /** The selection of a field for objects of a type. @throws GraphQLError when a condition is null. */
  selectionBelow({ nodes, selections }: FieldPlan, type: GraphQLObjectType): Selection {
    let selection = selections.get(type);
    if (selection === undefined) {
      selection = this.#select(
        type,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      );
      selections.set(type, selection);
    }
    return selection;
  }

  #select(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]): Selection {
    const { schema, fragments } = this;
    const fields = collectFields(
      { schema, fragments, variableValues: this.#conditions },
      type,
      selectionSets,
    );
    return [...fields].flatMap(([responseName, nodes]) => {
      const definition = this.#definitionOf(type, nodes[0].name.value);
      // A document that is not validated may select a field that does not exist.
      return definition === undefined ? [] : planField(responseName, nodes, type, definition);
    });
  }

  #definitionOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (type !== this.schema.getQueryType()) return type.getFields()[name];
    return (
      [SchemaMetaFieldDef, TypeMetaFieldDef].find((meta) => meta.name === name) ?? type.getFields()[name]
    );
  }
}

/** One field of a selection. */
export interface FieldPlan extends Completion {
  /** The alias, or the name. */
  readonly responseName: string;
  /** All nodes that select the field under this response name. The same array in each execution of the plan. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Null when the arguments contain variables, or are invalid. */
  readonly constantArguments: ArgumentValues | null;
  /** The fields that are selected below this one, by the type of its objects, as far as they are planned. */
  readonly selections: Map<GraphQLObjectType, Selection>;
}

function planField(
  responseName: string,
  nodes: FieldPlan['nodes'],
  parentType: GraphQLObjectType,
  definition: GraphQLField<unknown, unknown>,
): FieldPlan {
  const { complete, isNonNull } = completionOf(definition.type);
  const constantArguments = constantArgumentsOf(definition, nodes[0]);
  return {
    ...{ complete, isNonNull, responseName, nodes, parentType, definition, constantArguments },
    selections: new Map(),
  };
}

const NO_ARGUMENTS: ArgumentValues = Object.freeze({});

function constantArgumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ArgumentValues | null {
  if (definition.args.length === 0) return NO_ARGUMENTS;
  if (node.arguments?.some(({ value }) => containsVariable(value)) === true) return null;
  try {
    return Object.freeze(getArgumentValues(definition, node));
  } catch {
    // Each execution reports the error.
    return null;
  }
}

function containsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(containsVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => containsVariable(field.value));
}
