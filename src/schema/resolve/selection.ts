// Collects the selected fields of a type from an operation.

import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The selected fields of one type by name, including those in fragments and excluding those that `@skip` and `@include` omit. */
export type Selection = ReadonlyMap<string, readonly FieldNode[]>;

type Info = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** Returns the schema coordinate of a field, e.g. `Book.author`. */
export const coordinateOf = ({
  parentType,
  fieldName,
}: Pick<GraphQLResolveInfo, 'parentType' | 'fieldName'>): string => `${parentType.name}.${fieldName}`;

/** Collects the fields that are selected below field nodes for an object of a type. */
export function selectionOf(nodes: readonly FieldNode[], typeName: string, info: Info): Selection {
  const selection = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  for (const node of nodes) collect(node.selectionSet, typeName, info, visited, selection);
  return selection;
}

function collect(
  set: SelectionSetNode | undefined,
  typeName: string,
  info: Info,
  visited: Set<string>,
  selection: Map<string, FieldNode[]>,
): void {
  for (const node of set?.selections ?? []) {
    if (!isIncluded(node, info)) continue;
    if (node.kind === Kind.FIELD) {
      const nodes = selection.get(node.name.value);
      if (nodes === undefined) selection.set(node.name.value, [node]);
      else nodes.push(node);
      continue;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      // Like the executor, visit each fragment once: visiting it again could double the work at each level.
      if (visited.has(node.name.value)) continue;
      visited.add(node.name.value);
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? info.fragments[node.name.value] : node;
    const condition = fragment?.typeCondition?.name.value;
    if (condition === undefined || applies(condition, typeName, info)) {
      collect(fragment?.selectionSet, typeName, info, visited, selection);
    }
  }
}

function isIncluded(node: SelectionNode, { variableValues }: Info): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
}

function applies(condition: string, typeName: string, { schema }: Info): boolean {
  if (condition === typeName) return true;
  const abstract = schema.getType(condition);
  const object = schema.getType(typeName);
  return isAbstractType(abstract) && isObjectType(object) && schema.isSubType(abstract, object);
}
