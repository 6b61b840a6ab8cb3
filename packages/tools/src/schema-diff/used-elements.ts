// Lists the elements of a schema that a document uses.
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A part of a schema, and where a document names it. */
export interface UsedElement {
  /** The names from the type to the element, e.g. `Query.books.first` for an argument. */
  readonly coordinate: string;
  readonly node: ASTNode;
  /** Null where the element is not deprecated. */
  readonly deprecationReason: string | null;
}

/**
 * Lists the types, fields, arguments, input fields and enum values that a document names, in its order. What only the values of
 * variables name is not among them, and neither is what the schema lacks.
 */
export function listUsedElements(schema: GraphQLSchema, document: DocumentNode): readonly UsedElement[] {
  const used: UsedElement[] = [];
  const types = new TypeInfo(schema);
  const add = (
    node: ASTNode,
    host: Pick<GraphQLNamedType, 'name'> | null | undefined,
    names: readonly string[],
    element: { readonly deprecationReason?: string | null | undefined } | null | undefined,
  ): void => {
    // Introspection is the same in every schema.
    if (!host || !element || [host.name, ...names].some((name) => name.startsWith('__'))) return;
    const coordinate = [host.name, ...names].join('.');
    used.push({ coordinate, node, deprecationReason: element.deprecationReason ?? null });
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      NamedType(node) {
        const type = schema.getType(node.name.value);
        add(node, type, [], type && {});
      },
      Field(node) {
        add(node, types.getParentType(), [node.name.value], types.getFieldDef());
      },
      Argument(node) {
        if (types.getDirective()) return;
        const field = types.getFieldDef()?.name ?? '';
        add(node, types.getParentType(), [field, node.name.value], types.getArgument());
      },
      ObjectField(node) {
        const host = getNamedType(types.getParentInputType());
        if (isInputObjectType(host)) add(node, host, [node.name.value], host.getFields()[node.name.value]);
      },
      EnumValue(node) {
        add(node, getNamedType(types.getInputType()), [node.value], types.getEnumValue());
      },
    }),
  );
  return used;
}
