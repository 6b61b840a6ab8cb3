// Executes operations as graphql-js does, by plans of the fields that are selected of each type. They halve the processor time of lists.
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import {
  assertValidSchema,
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
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
import type { OnError } from '../operation-request.ts';
import type { Executed } from '../plugin.ts';
import { Execution } from './execution.ts';

/** Variable errors after which no further variables are read, as in graphql-js. */
const MAX_VARIABLE_ERRORS = 50;

/** The arguments of graphql-js, and that of the coming specification. */
export interface ExecuteArgs extends ExecutionArgs {
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError;
}

/**
 * Executes a query, a mutation or an event of a subscription. The result is a promise only if a resolver returns one.
 * @param maxSize Characters of all texts in the result. Default: no limit. @throws ResultSizeError beyond it; a promise rejects with it.
 */
export function execute(
  args: ExecuteArgs,
  maxSize = Number.POSITIVE_INFINITY,
): ExecutionResult | Promise<ExecutionResult> {
  const operation = findOperation(args.schema, args.document, args.operationName);
  if (operation === null)
    return { errors: [new GraphQLError('Could not determine what operation to execute.')] };
  const { errors, coerced } = getVariableValues(
    args.schema,
    operation.definition.variableDefinitions ?? [],
    args.variableValues ?? {},
    { maxErrors: MAX_VARIABLE_ERRORS },
  );
  if (errors !== undefined) return { errors };
  return new Execution(operation.planFor(coerced), args, coerced, maxSize).run();
}

/** Opens the stream of a subscription, and executes the selection for each event. Returns a result where there is no stream. */
export async function subscribe(
  args: ExecutionArgs,
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
): Promise<Executed> {
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  return mapAsyncIterator(source, async (rootValue) => execute({ ...args, rootValue }));
}

/** Coerced variables, or arguments, by name. All rows of a list have the same arguments, so resolvers must not change them. */
export type Variables = Readonly<Record<string, unknown>>;

/** The fields that are selected for one type of object, in the order of the response. */
export type Selection = readonly FieldPlan[];

/** Plans that are kept of one operation: one for each set of conditions. */
const MAX_PLANS = 16;
/** The directives that decide which fields are selected. */
const CONDITIONAL = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

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

/** The values of a field, or the items of its list. */
export type Shape = { readonly isNonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

function shapeOf(type: GraphQLOutputType, isNonNull = false): Shape {
  if (isNonNullType(type)) return shapeOf(type.ofType, true);
  if (isListType(type)) return { kind: 'list', item: shapeOf(type.ofType), isNonNull };
  if (isObjectType(type)) return { kind: 'object', type, isNonNull };
  return isLeafType(type) ? { kind: 'leaf', type, isNonNull } : { kind: 'abstract', type, isNonNull };
}

/** One field of a selection. */
export interface FieldPlan {
  readonly shape: Shape;
  /** The alias, or the name. */
  readonly responseName: string;
  /** All nodes that select the field under this response name. The same array in each execution of the plan. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Null when the arguments contain variables, or are invalid. */
  readonly constantArguments: Variables | null;
  /** The fields that are selected below this one, by the type of its objects, as far as they are planned. */
  readonly selections: Map<GraphQLObjectType, Selection>;
}

function planField(
  responseName: string,
  nodes: FieldPlan['nodes'],
  parentType: GraphQLObjectType,
  definition: GraphQLField<unknown, unknown>,
): FieldPlan {
  const shape = shapeOf(definition.type);
  const constantArguments = constantArgumentsOf(definition, nodes[0]);
  return { shape, responseName, nodes, parentType, definition, constantArguments, selections: new Map() };
}

const NO_ARGUMENTS: Variables = Object.freeze({});

function constantArgumentsOf(definition: GraphQLField<unknown, unknown>, node: FieldNode): Variables | null {
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
