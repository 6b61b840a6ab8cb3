// Rewrites a query so that its list can be read page by page.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  parse,
  parseType,
  print,
  type SelectionNode,
  type SelectionSetNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { usageError } from './command-line/exit-codes.ts';
import { isObject } from './output/values.ts';
import type { GivenRequest } from './request.ts';

const VARIABLE = 'optiongraphAfter';
const PAGE = 'optiongraphPage';

/** Rewrites a valid query. @throws CommandError when it does not have exactly one list to page through. */
export function paginate({ document, operation }: GivenRequest, schema: GraphQLSchema) {
  const alone = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  const { query, places } = rewrite(inlineFragments(alone), schema);
  const [place, ...others] = places.values();
  if (place === undefined || others.length > 0)
    throw usageError(
      `--paginate needs a query with exactly one list that is not inside another; this document has ${places.size}.`,
    );
  if (!place.hasRows)
    throw usageError(
      '--paginate needs the rows of the list: select `nodes` or `edges`, or leave out --paginate.',
    );
  return {
    query: print(query),
    /** The variables of the page that begins after a cursor. */
    variablesAfter: (cursor: string | null) => ({ [VARIABLE]: cursor }),
    /** Takes what was added out of the data of a page. The cursor is null on the last page. */
    readPage: (data: unknown) => readPage(data, place.path),
  };
}

/** Returns the operation of a document with its fragments in their places. */
function inlineFragments({ definitions }: DocumentNode): DocumentNode {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return visit(
    { kind: Kind.DOCUMENT, definitions: operations },
    {
      FragmentSpread(spread) {
        const fragment = fragments.get(spread.name.value);
        if (fragment === undefined) return undefined;
        const { typeCondition, selectionSet } = fragment;
        return {
          kind: Kind.INLINE_FRAGMENT,
          typeCondition,
          selectionSet,
          directives: spread.directives ?? [],
        };
      },
    },
  );
}

/** Gives the outermost connections a cursor, and selects their pages. Returns where they are. */
function rewrite(document: DocumentNode, schema: GraphQLSchema) {
  const types = new TypeInfo(schema);
  const names: string[] = [];
  const places = new Map<string, { readonly path: readonly string[]; readonly hasRows: boolean }>();
  /** The number of names at the list that is being visited; null outside of lists. */
  let inside: number | null = null;
  const query = visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition: (node) => ({
        ...node,
        variableDefinitions: [
          ...(node.variableDefinitions ?? []),
          { kind: Kind.VARIABLE_DEFINITION, variable: variable(), type: parseType('String') },
        ],
      }),
      Field: {
        enter(node) {
          names.push((node.alias ?? node.name).value);
          if (inside !== null) return undefined;
          const type = types.getType();
          const inner = getNamedType(type);
          const hasCursor = types.getFieldDef()?.args.some(({ name }) => name === 'after') === true;
          const isPaged = isObjectType(inner) && 'pageInfo' in inner.getFields() && hasCursor;
          if (isPaged || isListType(getNullableType(type))) inside = names.length;
          if (!isPaged) return undefined;
          // Several nodes may select parts of one list.
          const hasRows = places.get(names.join())?.hasRows === true || selectsRows(node, inner);
          places.set(names.join(), { path: [...names], hasRows });
          return rewriteField(node);
        },
        leave() {
          if (inside === names.length) inside = null;
          names.pop();
        },
      },
    }),
  );
  return { query, places };
}

const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variable = () => ({ kind: Kind.VARIABLE, name: name(VARIABLE) }) as const;

function selectsRows({ selectionSet }: FieldNode, type: GraphQLObjectType): boolean {
  const names = selectionSet === undefined ? [] : fieldNamesIn(selectionSet);
  return names.some((one) => isListType(getNullableType(type.getFields()[one]?.type)));
}

/** @throws CommandError when the field has a cursor already. */
function rewriteField(node: FieldNode): FieldNode {
  const { arguments: given = [], selectionSet = { kind: Kind.SELECTION_SET, selections: [] } } = node;
  if (given.some((one) => one.name.value === 'after'))
    throw usageError('--paginate gives `after` itself; leave it out of the query.');
  return {
    ...node,
    arguments: [...given, { kind: Kind.ARGUMENT, name: name('after'), value: variable() }],
    selectionSet: { ...selectionSet, selections: [...selectionSet.selections, ...pageSelection()] },
  };
}

function pageSelection(): readonly SelectionNode[] {
  const [added] = parse(`{ ${PAGE}: pageInfo { hasNextPage endCursor } }`, { noLocation: true }).definitions;
  return added?.kind === Kind.OPERATION_DEFINITION ? added.selectionSet.selections : [];
}

const fieldNamesIn = ({ selections }: SelectionSetNode): readonly string[] =>
  selections.flatMap((one) => {
    if (one.kind === Kind.FIELD) return [one.name.value];
    return one.kind === Kind.INLINE_FRAGMENT ? fieldNamesIn(one.selectionSet) : [];
  });

function readPage(data: unknown, path: readonly string[]) {
  const connection = path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), data);
  if (!isObject(connection)) return { rows: [], cursor: null };
  const { [PAGE]: page, ...rest } = connection;
  // Lists under other names are aliases.
  const rows = Object.values(rest).find(Array.isArray) ?? [];
  // The data is printed as the query asks for it.
  delete (connection as Record<string, unknown>)[PAGE];
  const cursor = isObject(page) && page['hasNextPage'] === true ? page['endCursor'] : null;
  return { rows, cursor: typeof cursor === 'string' ? cursor : null };
}
