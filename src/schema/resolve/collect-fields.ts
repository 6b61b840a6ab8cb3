// Collects the fields that selection sets select for one type of object, as the GraphQL specification describes it.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** What decides which fields are selected. */
export interface SelectionSource {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The variables that `@skip` and `@include` use. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The nodes of fields by response name, in the order of the response. */
export type FieldNodes = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/**
 * Collects the fields for objects of a type. graphql-js does not export its own function, and with an import of its internal module a
 * bundle would contain graphql twice.
 * @throws GraphQLError when a condition is null.
 */
export function collectFields(
  source: SelectionSource,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): FieldNodes {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!isIncluded(source, selection)) continue;
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes === undefined) fields.set(name, [selection]);
        else nodes.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (isIncluded(source, selection) && matches(source, selection, type))
          collect(selection.selectionSet);
      } else {
        const name = selection.name.value;
        if (visited.has(name) || !isIncluded(source, selection)) continue;
        visited.add(name);
        const fragment = source.fragments[name];
        if (fragment !== undefined && matches(source, fragment, type)) collect(fragment.selectionSet);
      }
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return fields;
}

function isIncluded({ variables }: SelectionSource, node: SelectionNode): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}

/** Whether a fragment applies to a type of object. */
function matches(
  { schema }: SelectionSource,
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
  type: GraphQLObjectType,
): boolean {
  if (typeCondition === undefined) return true;
  const condition = typeFromAST(schema, typeCondition);
  return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}
