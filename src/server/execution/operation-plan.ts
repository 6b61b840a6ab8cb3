// Plans an operation of a document: which fields are selected for each type of object, and what their resolvers get.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type ResponsePath,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { collectFields, type FieldNodes, type SelectionSource } from '../../schema/resolve/selection.ts';
import { type Completion, completionOf } from './complete-value.ts';
import type { Execution } from './execution.ts';

/** Coerced variables by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** The fields that are selected for one type of object, in the order of the response. */
export type Selection = readonly FieldPlan[];

/**
 * The plan of one operation for all executions with the same conditions. Each selection is planned when
 * an execution first needs it.
 */
export class OperationPlan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` use. */
  readonly #conditions: Variables;
  #root: Selection | undefined;

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
    this.#root ??= this.#planRoot();
    return this.#root;
  }

  get #source(): SelectionSource {
    return { schema: this.schema, fragments: this.fragments, variables: this.#conditions };
  }

  #planRoot(): Selection {
    const { schema, operation } = this;
    const type = schema.getRootType(operation.operation);
    if (!type) {
      const message = `Schema is not configured to execute ${operation.operation} operation.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    return this.#plan(type, [operation.selectionSet]);
  }

  /** The selection of a field for objects of a type. @throws GraphQLError when a condition is null. */
  selectionBelow({ nodes, selections }: FieldPlan, type: GraphQLObjectType): Selection {
    const known = selections.get(type);
    if (known !== undefined) return known;
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const selection = this.#plan(type, selectionSets);
    selections.set(type, selection);
    return selection;
  }

  #plan(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]): Selection {
    return this.#planFields(type, collectFields(this.#source, type, selectionSets));
  }

  #planFields(type: GraphQLObjectType, fields: FieldNodes): Selection {
    const plans: FieldPlan[] = [];
    for (const [responseName, nodes] of fields) {
      const definition = this.#definitionOf(type, nodes[0].name.value);
      // A document that is not validated may select a field that does not exist.
      if (definition !== undefined) plans.push(planField(responseName, nodes, type, definition));
    }
    return plans;
  }

  #definitionOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (type === this.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return type.getFields()[name];
  }
}

/** Argument values by name. All rows of a list share them, so resolvers must not change them. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

const NO_ARGUMENTS: ArgumentValues = Object.freeze({});

/** One field of a selection. */
export interface FieldPlan extends Completion {
  /** The alias, or the name. */
  readonly responseName: string;
  /** The first node that selects the field, which has the arguments of all. */
  readonly node: FieldNode;
  /** All nodes that select the field under this response name. The same array in each execution of the plan. */
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Undefined for the resolver that the execution has for such fields. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Null when the arguments contain variables, or are invalid. */
  readonly constantArguments: ArgumentValues | null;
  /** The fields that are selected below this one, by the type of its objects, as far as they are planned. */
  readonly selections: Map<GraphQLObjectType, readonly FieldPlan[]>;
}

/** Plans the nodes that select a field under one response name. */
function planField(
  responseName: string,
  nodes: readonly [FieldNode, ...FieldNode[]],
  parentType: GraphQLObjectType,
  definition: GraphQLField<unknown, unknown>,
): FieldPlan {
  const { complete, isNonNull } = completionOf(definition.type);
  return {
    complete,
    isNonNull,
    responseName,
    node: nodes[0],
    nodes,
    parentType,
    definition,
    resolve: definition.resolve,
    selections: new Map(),
    constantArguments: constantArgumentsOf(definition, nodes[0]),
  };
}

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

/** The fourth argument of resolvers. Most resolvers read none of it, so all properties but the path are getters. */
export class ResolveInfo implements GraphQLResolveInfo {
  readonly #execution: Execution;
  readonly #field: FieldPlan;
  readonly path: ResponsePath;

  constructor(execution: Execution, field: FieldPlan, path: ResponsePath) {
    this.#execution = execution;
    this.#field = field;
    this.path = path;
  }

  get fieldName(): string {
    return this.#field.definition.name;
  }

  get fieldNodes(): readonly FieldNode[] {
    return this.#field.nodes;
  }

  get returnType(): GraphQLOutputType {
    return this.#field.definition.type;
  }

  get parentType(): GraphQLObjectType {
    return this.#field.parentType;
  }

  get schema(): GraphQLSchema {
    return this.#execution.plan.schema;
  }

  get fragments(): Record<string, FragmentDefinitionNode> {
    return this.#execution.plan.fragments;
  }

  get rootValue(): unknown {
    return this.#execution.rootValue;
  }

  get operation(): OperationDefinitionNode {
    return this.#execution.plan.operation;
  }

  get variableValues(): Record<string, unknown> {
    return this.#execution.variables;
  }
}
