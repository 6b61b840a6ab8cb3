// Defines what is known of a selected field before any operation resolves it.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import { type Completion, completionOf } from './complete-value.ts';

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
export function planField(
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
