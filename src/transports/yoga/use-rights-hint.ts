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
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../../operation/context.ts';

/**
 * Adds a hint to the error about a field or type that the caller's schema lacks and another caller's has: to sign in, or to get
 * other rights. The error reveals nothing else about it.
 * @param schemas Returns the schemas of all callers.
 * @param hintsAnonymous Whether callers without a credential get the hint, which tells them that the field exists.
 */
export function useRightsHint(
  schemas: () => Iterable<GraphQLSchema>,
  hintsAnonymous: boolean,
): Plugin<ServerContext> {
  return {
    onValidate({ context, params }) {
      const { session } = context as ServerContext;
      const isAnonymous = session?.caller.credential === null;
      if (isAnonymous && !hintsAnonymous) return undefined;
      const hint = isAnonymous ? 'Sign in to use it.' : 'It needs other rights than yours.';
      return ({ result, setResult }) => {
        const errors = result as readonly Error[];
        if (errors.length === 0) return;
        const lacking = findLacking(params.schema as GraphQLSchema, params.documentAST as DocumentNode);
        const hinted = errors.map((error) => {
          if (!(error instanceof GraphQLError)) return error;
          const [node, ...others] = error.nodes ?? [];
          // No other validation rule reports only what the schema lacks.
          const lack = node !== undefined && others.length === 0 ? lacking.get(node) : undefined;
          if (node === undefined || lack === undefined || ![...schemas()].some(lack.isIn)) return error;
          session?.revalidateRights();
          return new GraphQLError(`${lack.message} ${hint}`, { nodes: node, extensions: error.extensions });
        });
        setResult(hinted);
      };
    },
  };
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
