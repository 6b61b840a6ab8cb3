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
  Kind,
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
    // What the schema lacks is reported at one node.
    if (errors.every(({ nodes }) => nodes?.length !== 1)) return errors;
    const hint = isAnonymous ? 'Sign in to use it.' : 'It needs other rights than yours.';
    const lacking = findLacking(session.served.schema, document);
    const schemas = [...this.#schemas()];
    return errors.map((error) => {
      const [node, ...others] = error.nodes ?? [];
      // No other validation rule reports only what the schema lacks.
      const lack = node !== undefined && others.length === 0 ? lacking.get(node) : undefined;
      if (node === undefined || lack === undefined || !schemas.some(lack.isIn)) return error;
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
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(node) {
        const lack = lackOf(node, types, schema);
        if (lack !== undefined) lacking.set(node, lack);
      },
    }),
  );
  return lacking;
}

function lackOf(node: ASTNode, types: TypeInfo, schema: GraphQLSchema): Lack | undefined {
  if (node.kind === Kind.FIELD) {
    const type = types.getParentType()?.name;
    if (type === undefined || types.getFieldDef()) return undefined;
    const field = node.name.value;
    const message = `Cannot query field "${field}" on type "${type}".`;
    return { message, isIn: (other) => hasField(other, type, field) };
  }
  if (node.kind === Kind.NAMED_TYPE) {
    const { value: type } = node.name;
    if (schema.getType(type) !== undefined) return undefined;
    return { message: `Unknown type "${type}".`, isIn: (other) => other.getType(type) !== undefined };
  }
  if (node.kind !== Kind.INLINE_FRAGMENT) return undefined;
  const parent = types.getParentType()?.name;
  const type = node.typeCondition?.name.value;
  if (parent === undefined || type === undefined || canBe(schema, parent, type)) return undefined;
  const message = `Fragment cannot be spread here as objects of type "${parent}" can never be of type "${type}".`;
  return { message, isIn: (other) => canBe(other, parent, type) };
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
