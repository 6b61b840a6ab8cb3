// Explains missing fields that other callers have.
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../context.ts';

/**
 * Adds a hint to the error about a field that the caller's schema lacks and another caller's has: to sign in, or to get other
 * rights. The error reveals nothing else about the field.
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
        const unknown = unknownFieldsOf(params.schema as GraphQLSchema, params.documentAST as DocumentNode);
        const hinted = errors.map((error) => {
          const [node, ...others] = (error instanceof GraphQLError ? error.nodes : null) ?? [];
          // No other validation rule reports only a field that its type lacks.
          const type = node?.kind === 'Field' && others.length === 0 ? unknown.get(node) : undefined;
          if (node?.kind !== 'Field' || type === undefined) return error;
          const field = node.name.value;
          if (!isInAnySchema(schemas(), type, field)) return error;
          session?.revalidateRights();
          return new GraphQLError(`Cannot query field "${field}" on type "${type}". ${hint}`, {
            nodes: node,
            extensions: (error as GraphQLError).extensions,
          });
        });
        setResult(hinted);
      };
    },
  };
}

/** Returns the selected fields that their types lack, with the names of these types. */
function unknownFieldsOf(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<FieldNode, string> {
  const unknown = new Map<FieldNode, string>();
  const types = new TypeInfo(schema);
  const Field = (node: FieldNode): void => {
    const type = types.getParentType();
    if (type && !types.getFieldDef()) unknown.set(node, type.name);
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return unknown;
}

function isInAnySchema(schemas: Iterable<GraphQLSchema>, typeName: string, field: string): boolean {
  for (const schema of schemas) {
    const type = schema.getType(typeName);
    if ((isObjectType(type) || isInterfaceType(type)) && field in type.getFields()) return true;
  }
  return false;
}
