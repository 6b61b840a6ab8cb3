// Collects the fields that an operation selects for one type of object, as the GraphQL specification describes it.
import { doesFragmentConditionMatch, shouldIncludeNode } from '@graphql-tools/utils';
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The selected fields of one type by name, including those in fragments and excluding those that `@skip` and `@include` omit. */
export type Selection = ReadonlyMap<string, readonly FieldNode[]>;

/** What decides which fields are selected: the fragments, and the variables that `@skip` and `@include` use. */
type SelectionSource = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

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
type FieldNodes = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/**
 * Collects the fields for objects of a type. graphql-js does not export its own function, and that of graphql-tools puts what `@defer`
 * marks behind the rest, but the fields of a mutation run in the order of the document.
 * @throws GraphQLError when a condition is null.
 */
export function collectFields(
  { schema, fragments, variableValues }: SelectionSource,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): FieldNodes {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const visited = new Set<string>();
  const variables = { coerced: variableValues, sources: {} };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread && visited.has(selection.name.value)) continue;
      if (!shouldIncludeNode(variables, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes === undefined) fields.set(name, [selection]);
        else nodes.push(selection);
        continue;
      }
      if (isSpread) visited.add(selection.name.value);
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (fragment !== undefined && doesFragmentConditionMatch(schema, fragment, type))
        collect(fragment.selectionSet);
    }
  };
  selectionSets.forEach(collect);
  return fields;
}
