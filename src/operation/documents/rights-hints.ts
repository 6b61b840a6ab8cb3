// Explains missing fields and types that other callers have.
import {
  type ASTNode,
  type DocumentNode,
  doTypesOverlap,
  GraphQLError,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Session } from '../../callers/session.ts';

/** Adds hints to the errors of validations. */
export class RightsHints {
  readonly #schemas: () => Iterable<GraphQLSchema>;
  readonly #hintsAnonymous: boolean;

  /**
   * @param schemas Returns the schemas of all callers.
   * @param hintsAnonymous Whether callers without a credential get the hint. It shows them that the field exists.
   */
  constructor(schemas: () => Iterable<GraphQLSchema>, hintsAnonymous: boolean) {
    this.#schemas = schemas;
    this.#hintsAnonymous = hintsAnonymous;
  }

  /**
   * Adds a hint to each error about a field or type that the caller's schema lacks and another caller's has: to sign in, or to get
   * other rights. The error reveals nothing else about it.
   */
  add(errors: readonly GraphQLError[], document: DocumentNode, session: Session): readonly GraphQLError[] {
    const isAnonymous = session.caller.credential === null;
    if (isAnonymous && !this.#hintsAnonymous) return errors;
    const hint = isAnonymous ? 'Sign in to use it.' : 'It needs other rights than yours.';
    const lacking = findLacking(session.served.schema, document);
    return errors.map((error) => {
      const [node, ...others] = error.nodes ?? [];
      // No other validation rule reports only what the schema lacks.
      const lack = node !== undefined && others.length === 0 ? lacking.get(node) : undefined;
      if (node === undefined || lack === undefined || ![...this.#schemas()].some(lack.isIn)) return error;
      session.revalidateRights();
      return new GraphQLError(`${lack.message} ${hint}`, { nodes: node, extensions: error.extensions });
    });
  }
}

/** What a document needs and its schema lacks. */
interface Lack {
  /** The error without suggestions. */
  readonly message: string;
  /** Whether another schema has it. */
  readonly isIn: (other: GraphQLSchema) => boolean;
}

/** Finds what a schema lacks, by the node that needs it. */
function findLacking(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<ASTNode, Lack> {
  const lacking = new Map<ASTNode, Lack>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    Field(node) {
      const type = types.getParentType()?.name;
      if (type === undefined || types.getFieldDef()) return;
      const field = node.name.value;
      const message = `Cannot query field "${field}" on type "${type}".`;
      lacking.set(node, { message, isIn: (other) => hasField(other, type, field) });
    },
    NamedType(node) {
      const { value: type } = node.name;
      if (schema.getType(type) !== undefined) return;
      const message = `Unknown type "${type}".`;
      lacking.set(node, { message, isIn: (other) => other.getType(type) !== undefined });
    },
    InlineFragment(node) {
      const parent = types.getParentType()?.name;
      const type = node.typeCondition?.name.value;
      if (parent === undefined || type === undefined || canBe(schema, parent, type)) return;
      const message = `Fragment cannot be spread here as objects of type "${parent}" can never be of type "${type}".`;
      lacking.set(node, { message, isIn: (other) => canBe(other, parent, type) });
    },
  });
  visit(document, visitor);
  return lacking;
}

function hasField(schema: GraphQLSchema, typeName: string, field: string): boolean {
  const type = schema.getType(typeName);
  return (isObjectType(type) || isInterfaceType(type)) && field in type.getFields();
}

/** Whether an object of one type can be of another. */
function canBe(schema: GraphQLSchema, typeName: string, otherName: string): boolean {
  const [type, other] = [schema.getType(typeName), schema.getType(otherName)];
  return isCompositeType(type) && isCompositeType(other) && doTypesOverlap(schema, type, other);
}
