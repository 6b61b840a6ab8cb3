// Rewrites a query so that its list can be read page by page.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getVariableValues,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseType,
  print,
  separateOperations,
  visit,
} from 'graphql';
import { collectFields, type SelectionSource } from '../../../src/schema/resolve/selection.ts';
import { isObject } from '../../../src/upstream/json.ts';
import { usageError } from './command-line/exit-codes.ts';
import type { GivenRequest } from './request.ts';

const VARIABLE = 'optiongraphAfter';
const PAGE = 'optiongraphPage';

/** A connection in a query. */
interface Place {
  /** The response names that lead to it. */
  readonly path: readonly string[];
  /** The nodes that select it. Fragments may add some. */
  readonly nodes: readonly FieldNode[];
  /** Whether its rows are selected. */
  readonly hasRows: boolean;
}

/** Rewrites a valid query. @throws CommandError when it does not have exactly one list to page through. */
export function paginate({ document, operation, variables }: GivenRequest, schema: GraphQLSchema) {
  const place = findList(document, operation, variables, schema);
  if (!place.hasRows)
    throw usageError(
      '--paginate needs the rows of the list: select `nodes` or `edges`, or leave out --paginate.',
    );
  if (place.nodes.some(({ arguments: given }) => given?.some(({ name }) => name.value === 'after')))
    throw usageError('--paginate gives `after` itself; leave it out of the query.');
  return {
    query: print(rewrite(document, operation, place)),
    /** The variables of the page that begins after a cursor. */
    variablesAfter: (cursor: string | null) => ({ [VARIABLE]: cursor }),
    /** Takes what was added out of the data of a page. The cursor is null on the last page. */
    readPage: (data: unknown) => readPage(data, place),
  };
}

function findList(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: GivenRequest['variables'],
  schema: GraphQLSchema,
): Place {
  const { coerced = {}, errors: [wrong] = [] } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variables,
  );
  if (wrong !== undefined) throw usageError(wrong.message);
  const definitions = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = Object.fromEntries(definitions.map((one) => [one.name.value, one]));
  const root = operation.operation === 'query' ? schema.getQueryType() : null;
  const places = root ? findIn({ schema, fragments, variables: coerced }, root, [operation], []) : [];
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  throw usageError(
    `--paginate needs a query with exactly one list that is not inside another; this document has ${places.length}.`,
  );
}

/** The outermost connections in the selections of some nodes. */
function findIn(
  source: SelectionSource,
  type: GraphQLObjectType,
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
  path: readonly string[],
): readonly Place[] {
  return fieldsOf(source, type, parents).flatMap(([name, nodes, field]): readonly Place[] => {
    if (isList(field)) return [];
    const here = [...path, name];
    const inner = getNamedType(field.type);
    if (isConnection(field, inner)) {
      const hasRows = fieldsOf(source, inner, nodes).some(([, , one]) => isList(one));
      return [{ path: here, nodes, hasRows }];
    }
    const types = isAbstractType(inner) ? source.schema.getPossibleTypes(inner) : [inner];
    return types.filter(isObjectType).flatMap((one) => findIn(source, one, nodes, here));
  });
}

/** The fields that nodes select of a type, by response name. */
const fieldsOf = (
  source: SelectionSource,
  type: GraphQLObjectType,
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
): readonly (readonly [string, readonly FieldNode[], GraphQLField<unknown, unknown>])[] =>
  [
    ...collectFields(
      source,
      type,
      parents.flatMap(({ selectionSet }) => selectionSet ?? []),
    ),
  ].flatMap(([name, nodes]) => {
    const field = type.getFields()[nodes[0].name.value];
    return field === undefined ? [] : [[name, nodes, field] as const];
  });

const isList = ({ type }: GraphQLField<unknown, unknown>): boolean => isListType(getNullableType(type));

const isConnection = ({ args }: GraphQLField<unknown, unknown>, type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && 'pageInfo' in type.getFields() && args.some(({ name }) => name === 'after');

function rewrite(document: DocumentNode, operation: OperationDefinitionNode, { nodes }: Place): DocumentNode {
  const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: VARIABLE } } as const;
  const added = parse(`{ ${PAGE}: pageInfo { hasNextPage endCursor } }`).definitions[0];
  const page = added?.kind === Kind.OPERATION_DEFINITION ? added.selectionSet.selections : [];
  const after = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'after' }, value: variable } as const;
  // Other operations may use the same fragments, but lack the variable.
  const alone = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  return visit(alone, {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: [
        ...(node.variableDefinitions ?? []),
        { kind: Kind.VARIABLE_DEFINITION, variable, type: parseType('String') },
      ],
    }),
    Field: (node) =>
      nodes.includes(node)
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
  const connection = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), data);
  if (!isObject(connection)) return { rows: [], cursor: null };
  const page = connection[PAGE];
  delete (connection as Record<string, unknown>)[PAGE];
  // Lists under other names are aliases.
  const rows = Object.values(connection).find(Array.isArray) ?? [];
  const cursor = isObject(page) && page['hasNextPage'] === true ? page['endCursor'] : null;
  return { rows, cursor: typeof cursor === 'string' ? cursor : null };
}
