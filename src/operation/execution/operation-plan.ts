// Plans an operation of a document: which fields are selected for each type of object.
import {
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, type FieldNodes, type SelectionSource } from '../../schema/resolve/selection.ts';
import { type FieldPlan, planField } from './field-plan.ts';

/** Coerced variables by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** The fields that are selected for one type of object, in the order of the response. */
export type Selection = readonly FieldPlan[];

/** The variables that `@skip` and `@include` use, and a key that is the same for equal ones. */
export interface Conditions {
  readonly key: string;
  readonly variables: Variables;
}

/**
 * The plan of one operation for all executions in which `@skip` and `@include` have the same conditions. Each selection is planned when
 * an execution first needs it.
 */
export class OperationPlan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** Number of fields planned so far. */
  size = 0;
  readonly conditions: Conditions;
  #root: Selection | undefined;

  constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Record<string, FragmentDefinitionNode>,
    conditions: Conditions,
  ) {
    this.schema = schema;
    this.operation = operation;
    this.fragments = fragments;
    this.conditions = conditions;
  }

  /** The selection of the operation itself. @throws GraphQLError when the schema has no such operations. */
  get root(): Selection {
    this.#root ??= this.#planRoot();
    return this.#root;
  }

  get #source(): SelectionSource {
    return { schema: this.schema, fragments: this.fragments, variables: this.conditions.variables };
  }

  #planRoot(): Selection {
    const { schema, operation } = this;
    const type = schema.getRootType(operation.operation);
    if (!type) {
      const message = `Schema is not configured to execute ${operation.operation} operation.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    return this.#planFields(type, collectFields(this.#source, type, [operation.selectionSet]));
  }

  /** The selection of a field for objects of a type. @throws GraphQLError when a condition is null. */
  selectionBelow({ nodes, selections }: FieldPlan, type: GraphQLObjectType): Selection {
    const known = selections.get(type);
    if (known !== undefined) return known;
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const selection = this.#planFields(type, collectFields(this.#source, type, selectionSets));
    selections.set(type, selection);
    return selection;
  }

  #planFields(type: GraphQLObjectType, fields: FieldNodes): Selection {
    const plans: FieldPlan[] = [];
    for (const [responseName, nodes] of fields) {
      const definition = this.#definitionOf(type, nodes[0].name.value);
      // A document that is not validated may select a field that does not exist.
      if (definition !== undefined) plans.push(planField(responseName, nodes, type, definition));
    }
    this.size += plans.length;
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
