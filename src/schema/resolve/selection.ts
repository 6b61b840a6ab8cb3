// Collects the fields that an operation selects for one type of object, as the GraphQL specification describes it.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** The selected fields of one type by name, including those in fragments and excluding those that `@skip` and `@include` omit. */
export type Selection = ReadonlyMap<string, readonly FieldNode[]>;

/** What decides which fields are selected: the fragments, and the variables that `@skip` and `@include` use. */
export type SelectionSource = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** Returns the schema coordinate of a field, e.g. `Book.author`. */
export const coordinateOf = ({
  parentType,
  fieldName,
}: Pick<GraphQLResolveInfo, 'parentType' | 'fieldName'>): string => `${parentType.name}.${fieldName}`;

/** Returns the fields that are selected below field nodes for an object of a type. */
export function selectionOf(
  nodes: readonly FieldNode[],
  typeName: string,
  source: SelectionSource,
): Selection {
  const selection = new Map<string, readonly FieldNode[]>();
  const type = source.schema.getType(typeName);
  if (!isObjectType(type)) return selection;
  const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  // Each alias of a field has its own entry. Deferred fragments are read with the rest, because their values are in the same response.
  for (const same of collectFields(source, type, selectionSets).values()) {
    const name = same[0].name.value;
    selection.set(name, [...(selection.get(name) ?? []), ...same]);
  }
  return selection;
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
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread && visited.has(selection.name.value)) continue;
      if (!isIncluded(source, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes === undefined) fields.set(name, [selection]);
        else nodes.push(selection);
        continue;
      }
      if (isSpread) visited.add(selection.name.value);
      const fragment = isSpread ? source.fragments[selection.name.value] : selection;
      if (fragment !== undefined && matches(source, fragment, type)) collect(fragment.selectionSet);
    }
  };
  selectionSets.forEach(collect);
  return fields;
}

function isIncluded({ variableValues }: SelectionSource, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
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
