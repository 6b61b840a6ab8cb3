// Plans an operation of a document: which fields are selected for each type of object.
import {
  type FieldNode,
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
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { type FieldPlan, planField } from './field-plan.ts';

/** Coerced variables by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** The fields that are selected for one type of object, in the order of the response. */
export type Selection = readonly FieldPlan[];

/** The nodes of fields by response name. */
type FieldNodes = ReadonlyMap<string, readonly FieldNode[]>;

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
  /** The number of fields that are planned so far. */
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

  #planRoot(): Selection {
    const { schema, fragments, operation } = this;
    const type = schema.getRootType(operation.operation);
    if (!type) {
      const message = `Schema is not configured to execute ${operation.operation} operation.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    const { variables } = this.conditions;
    return this.#planFields(type, collectFields(schema, fragments, variables, type, operation.selectionSet));
  }

  /** The selection of a field for objects of a type. @throws GraphQLError when a condition is null. */
  selectionBelow({ nodes, selections }: FieldPlan, type: GraphQLObjectType): Selection {
    const known = selections.get(type);
    if (known !== undefined) return known;
    const { schema, fragments } = this;
    const { variables } = this.conditions;
    const selection = this.#planFields(type, collectSubfields(schema, fragments, variables, type, nodes));
    selections.set(type, selection);
    return selection;
  }

  #planFields(type: GraphQLObjectType, fields: FieldNodes): Selection {
    const plans: FieldPlan[] = [];
    for (const [responseName, [first, ...others]] of fields) {
      const definition = first && this.#definitionOf(type, first.name.value);
      // Validation has found that the field exists; a document that is not validated gets no such field.
      if (first && definition) plans.push(planField(responseName, [first, ...others], type, definition));
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
