// Makes the `info` argument of resolvers, and the paths in it.
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
import type { FieldPlan } from './operation-plan.ts';

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

/** A path in the response; undefined for the response itself. */
export type Path = ResponsePath | undefined;

/** @param typename The type of the object that has the field; undefined for an item of a list. */
export const pathBelow = (prev: Path, key: string | number, typename: string | undefined): ResponsePath => ({
  prev,
  key,
  typename,
});

/** The path of the field of a value, which may be an item in the list of the field. */
export function fieldPathOf(path: ResponsePath): ResponsePath {
  let field = path;
  while (typeof field.key === 'number' && field.prev !== undefined) field = field.prev;
  return field;
}
