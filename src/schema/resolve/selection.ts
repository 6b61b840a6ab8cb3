// Collects the fields that an operation selects for one type of object, as the GraphQL specification describes it.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
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
import { DEFER } from '../incremental-directives.ts';

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

/** What decides which fields are selected. */
export interface SelectionSource {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The variables that `@skip` and `@include` use. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The nodes of fields by response name, in the order of the response. */
export type FieldNodes = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/** Called with each deferred fragment: its label, null for none, and its fields. */
export type OnDeferred = (label: string | null, fields: FieldNodes) => void;

/**
 * Collects the fields for objects of a type. graphql-js does not export its own function, and with an import of its internal module a
 * bundle would contain graphql twice.
 * @param onDeferred Takes the fields of deferred fragments. Default: they are collected with the others.
 * @throws GraphQLError when a condition is null.
 */
export function collectFields(
  source: SelectionSource,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  onDeferred?: OnDeferred,
): FieldNodes {
  const visited = new Set<string | SelectionNode>();
  const collect = (
    { selections }: SelectionSetNode,
    fields: Map<string, [FieldNode, ...FieldNode[]]>,
  ): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!isIncluded(source, selection)) continue;
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes === undefined) fields.set(name, [selection]);
        else nodes.push(selection);
        continue;
      }
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : null;
      // A deferred fragment may come again with another label.
      if (onDeferred === undefined && name !== null && visited.has(name)) continue;
      if (!isIncluded(source, selection)) continue;
      const deferral = onDeferred && getDirectiveValues(DEFER, selection, source.variables);
      const key = deferral?.['if'] === true ? selection : name;
      if (key !== null) {
        if (visited.has(key)) continue;
        visited.add(key);
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? source.fragments[selection.name.value] : selection;
      if (fragment === undefined || !matches(source, fragment, type)) continue;
      if (onDeferred === undefined || deferral?.['if'] !== true) collect(fragment.selectionSet, fields);
      else {
        const own: typeof fields = new Map();
        collect(fragment.selectionSet, own);
        onDeferred(typeof deferral['label'] === 'string' ? deferral['label'] : null, own);
      }
    }
  };
  const all = new Map<string, [FieldNode, ...FieldNode[]]>();
  for (const selectionSet of selectionSets) collect(selectionSet, all);
  return all;
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
