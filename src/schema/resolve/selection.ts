// Reads the selected fields of a type from an operation.

import { collectSubFields } from '@graphql-tools/utils';
import { type FieldNode, type GraphQLResolveInfo, isObjectType } from 'graphql';

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
  const { schema, fragments, variableValues } = info;
  const type = schema.getType(typeName);
  const selection = new Map<string, FieldNode[]>();
  if (!isObjectType(type)) return selection;
  // graphql-tools takes the variables as graphql 17 has them.
  const variables = { coerced: variableValues, sources: {} };
  const { fields, patches } = collectSubFields(schema, fragments, variables, type, [...nodes]);
  // Each alias of a field has its own entry. Deferred fragments are read with the rest, because their values are in the same response.
  for (const node of [fields, ...patches.map((patch) => patch.fields)].flatMap((map) =>
    [...map.values()].flat(),
  )) {
    const same = selection.get(node.name.value);
    if (same === undefined) selection.set(node.name.value, [node]);
    else same.push(node);
  }
  return selection;
}
