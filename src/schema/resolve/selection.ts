// Reads the selected fields of a type from an operation.

import { type FieldNode, type GraphQLResolveInfo, isObjectType } from 'graphql';
import { collectFields } from './collect-fields.ts';

/** The selected fields of one type by name, including those in fragments and excluding those that `@skip` and `@include` omit. */
export type Selection = ReadonlyMap<string, readonly FieldNode[]>;

type Info = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** Returns the schema coordinate of a field, e.g. `Book.author`. */
export const coordinateOf = ({
  parentType,
  fieldName,
}: Pick<GraphQLResolveInfo, 'parentType' | 'fieldName'>): string => `${parentType.name}.${fieldName}`;

/** Returns the fields that are selected below field nodes for an object of a type. */
export function selectionOf(nodes: readonly FieldNode[], typeName: string, info: Info): Selection {
  const { schema, fragments, variableValues: variables } = info;
  const type = schema.getType(typeName);
  const selection = new Map<string, FieldNode[]>();
  if (!isObjectType(type)) return selection;
  const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  // Each alias of a field has its own entry. Deferred fragments are read with the rest, because their values are in the same response.
  const fields = collectFields({ schema, fragments, variables }, type, selectionSets);
  for (const node of [...fields.values()].flat()) {
    const same = selection.get(node.name.value);
    if (same === undefined) selection.set(node.name.value, [node]);
    else same.push(node);
  }
  return selection;
}
