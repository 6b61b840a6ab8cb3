// Reads the documents of an agent, and fits their results into its context.
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  isObjectType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Characters of a mutation that a user is shown. Nobody would see the end of more. */
const SHOWN = 4_000;
/** Characters of JSON that make a token, at least. */
const CHARACTERS = 3;
/** The alias of the cursors that are added to lists. */
const CURSORS = 'cursors_';

/** Parses a document with one operation of a kind. @throws GraphQLError, Error */
export function readDocument(text: string, kind: 'query' | 'mutation'): DocumentNode {
  const document = parse(text, { maxTokens: 2_000 });
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length !== 1 || operations[0]?.operation !== kind)
    throw new Error(`This tool takes documents with one ${kind}. "query" reads, and "write" changes.`);
  return document;
}

/** Prints what a mutation changes, with all characters visible. @throws Error where it is too long */
export function printChanges(document: DocumentNode, variables: object): string {
  // What is selected of the answers changes nothing.
  const fields = visit(document, { Field: (field) => ({ ...field, selectionSet: undefined }) });
  const text = `${print(fields)}\nVariables: ${JSON.stringify(variables)}`;
  if (text.length > SHOWN) throw new Error('This is too long to be shown to the user. Change less at once.');
  return text.replace(/[^\P{C}\n]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`);
}

/** Adds the cursors of rows to each list, so that it can be continued after any row. */
export function addCursors(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const types = new TypeInfo(schema);
  const cursors = parse(`{ ${CURSORS}: edges { cursor } }`).definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet.selections : [],
  );
  const leave = (node: SelectionSetNode): SelectionSetNode | undefined => {
    const type = types.getParentType();
    const isList = isObjectType(type) && 'edges' in type.getFields();
    const hasRows = node.selections.some(
      (field) => field.kind === Kind.FIELD && /^(nodes|edges)$/.test(field.name.value),
    );
    return isList && hasRows ? { ...node, selections: [...node.selections, ...cursors] } : undefined;
  };
  return visit(document, visitWithTypeInfo(types, { SelectionSet: { leave } }));
}

interface List {
  readonly path: string;
  readonly rows: unknown[];
  readonly cursors: readonly { readonly cursor?: unknown }[];
}

/**
 * Takes the cursors of `addCursors` out of a result, and removes the last rows of its longest lists until it has at most a number of tokens.
 * @returns The lists that were cut, with the cursors of the last rows that are left.
 * @throws Error where the first rows alone are too large.
 */
export function cutToFit(result: ExecutionResult, tokens: number) {
  const lists = listsIn(result.data, '');
  const cuts: object[] = [];
  for (;;) {
    let excess = JSON.stringify(result).length - tokens * CHARACTERS;
    if (excess <= 0) return cuts;
    const sizes = lists.map(({ rows }) => (rows.length > 1 ? JSON.stringify(rows).length : 0));
    const list = lists[sizes.indexOf(Math.max(1, ...sizes))];
    if (list === undefined) throw new Error('The result is too large. Select fewer fields, or fewer rows.');
    const { path, rows, cursors } = list;
    const total = rows.length;
    while (excess > 0 && rows.length > 1) excess -= JSON.stringify(rows.pop()).length;
    const shown = rows.length;
    cuts.push({ path, shown, missing: total - shown, after: cursors[shown - 1]?.cursor });
  }
}

function listsIn(value: unknown, path: string): readonly List[] {
  if (typeof value !== 'object' || value === null) return [];
  const { [CURSORS]: cursors = [], ...fields } = value as Record<string, unknown>;
  delete (value as Record<string, unknown>)[CURSORS];
  return Object.entries(fields).flatMap(([name, rows]) => {
    const at = `${path}${path && '.'}${name}`;
    const own = Array.isArray(rows) ? [{ path: at, rows, cursors: cursors as List['cursors'] }] : [];
    return [...own, ...listsIn(rows, at)];
  });
}
