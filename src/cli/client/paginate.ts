// Rewrites a query so that its list can be read page by page.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseType,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { isRecord } from '../../config/given-settings.ts';
import { usageError } from '../exit-codes.ts';

const VARIABLE = 'optiongraphAfter';
const PAGE = 'optiongraphPage';

/** A query whose pages can be read one after another. */
export interface PagedQuery {
  readonly query: string;
  /** The variables of the page that begins after a cursor. */
  variablesAfter(cursor: string | null): Readonly<Record<string, unknown>>;
  /** Takes what was added out of the data of a page. The cursor is null on the last page. */
  readPage(data: unknown): { readonly rows: readonly unknown[]; readonly cursor: string | null };
}

/** A connection in a query, and the response names that lead to it. */
interface Place {
  readonly field: FieldNode;
  readonly path: readonly string[];
}

/** Rewrites a query. @throws CommandError when it does not have exactly one list to page through. */
export function paginate(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): PagedQuery {
  const root = schema.getQueryType();
  const places = operation.operation === 'query' && root ? findIn(operation.selectionSet, root, []) : [];
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw usageError(
      `--paginate needs a query with exactly one list that is not inside another; this document has ${places.length}.`,
    );
  if (place.field.arguments?.some(({ name }) => name.value === 'after'))
    throw usageError('--paginate gives `after` itself; leave it out of the query.');
  return {
    query: print(rewrite(document, operation, place.field)),
    variablesAfter: (cursor) => ({ [VARIABLE]: cursor }),
    readPage: (data) => readPage(data, place),
  };
}

/** The outermost connections in a selection. */
function findIn(set: SelectionSetNode, type: GraphQLObjectType, path: readonly string[]): readonly Place[] {
  return set.selections.flatMap((selection): readonly Place[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return findIn(selection.selectionSet, type, path);
    const field = type.getFields()[selection.name.value];
    if (field === undefined || selection.selectionSet === undefined) return [];
    const here = [...path, (selection.alias ?? selection.name).value];
    const inner = getNamedType(field.type);
    if (!isObjectType(inner) || isListType(getNullableType(field.type))) return [];
    const isConnection = 'pageInfo' in inner.getFields() && field.args.some(({ name }) => name === 'after');
    return isConnection ? [{ field: selection, path: here }] : findIn(selection.selectionSet, inner, here);
  });
}

function rewrite(document: DocumentNode, operation: OperationDefinitionNode, field: FieldNode): DocumentNode {
  const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: VARIABLE } } as const;
  const added = parse(`{ ${PAGE}: pageInfo { hasNextPage endCursor } }`).definitions[0];
  const page = added?.kind === Kind.OPERATION_DEFINITION ? added.selectionSet.selections : [];
  const after = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'after' }, value: variable } as const;
  return visit(document, {
    OperationDefinition: (node) =>
      node === operation
        ? {
            ...node,
            variableDefinitions: [
              ...(node.variableDefinitions ?? []),
              { kind: Kind.VARIABLE_DEFINITION, variable, type: parseType('String') },
            ],
          }
        : undefined,
    Field: (node) =>
      node === field
        ? {
            ...node,
            arguments: [...(node.arguments ?? []), after],
            selectionSet: {
              kind: Kind.SELECTION_SET,
              selections: [...(node.selectionSet?.selections ?? []), ...page],
            },
          }
        : undefined,
  });
}

function readPage(data: unknown, { path }: Place) {
  const connection = path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), data);
  if (!isRecord(connection)) return { rows: [], cursor: null };
  const page = connection[PAGE];
  delete connection[PAGE];
  // Lists under other names are aliases.
  const rows = Object.values(connection).find(Array.isArray) ?? [];
  const cursor = isRecord(page) && page['hasNextPage'] === true ? page['endCursor'] : null;
  return { rows, cursor: typeof cursor === 'string' ? cursor : null };
}
