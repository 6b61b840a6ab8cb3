// Makes the `info` argument of resolvers.
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
  ResponsePath,
} from 'graphql';
import type { Execution } from './execution.ts';
import type { FieldPlan } from './field-plan.ts';

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
