// Reads the documents of an agent, and fits their results into its context.
import * as graphql from 'graphql';

/** Characters of a mutation that a user is shown, and of JSON that make a token, at least. */
const [SHOWN, CHARACTERS] = [4_000, 3];
/** The alias of the cursors that are added to lists. */
const CURSORS = 'cursors_';
const ADDED = graphql.parse(`{ ${CURSORS}: edges { cursor } }`)
  .definitions[0] as graphql.OperationDefinitionNode;

type List = { path: string; rows: unknown[]; cursors: readonly { cursor?: string }[] };

/** Parses a document with one operation of a kind. @throws Error */
export function readDocument(text: string, kind: 'query' | 'mutation'): graphql.DocumentNode {
  const document = graphql.parse(text, { maxTokens: 2_000 });
  const kinds = document.definitions.flatMap((node) => ('operation' in node ? [node.operation] : []));
  if (kinds.length === 1 && kinds[0] === kind) return document;
  throw new Error(`This tool takes documents with one ${kind}. "query" reads, and "write" changes.`);
}

/** Prints what a mutation changes, in the API's words and as GraphQL, with all characters visible. @throws Error where it is too long */
export function printChanges(
  document: graphql.DocumentNode,
  variables: object,
  schema: graphql.GraphQLSchema,
): string {
  const labels = new Set<string>();
  const Field = (field: graphql.FieldNode) => {
    const { description } = schema.getMutationType()?.getFields()[field.name.value] ?? {};
    labels.add(description?.split('\n', 1)[0] ?? '');
    // The selected parts of an answer change nothing.
    return { ...field, selectionSet: undefined };
  };
  const changes = graphql.print(graphql.visit(document, { Field }));
  const text = `${[...labels].join('\n')}\n\n${changes}\nVariables: ${JSON.stringify(variables)}`;
  if (text.length > SHOWN) throw new Error('This is too long to be shown to the user. Change less at once.');
  return text.replace(/[^\P{C}\n]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`);
}

/** Adds the cursors of rows to each list, so that it can be continued after any row. */
export function addCursors(
  document: graphql.DocumentNode,
  schema: graphql.GraphQLSchema,
): graphql.DocumentNode {
  const types = new graphql.TypeInfo(schema);
  const leave = ({ kind, selections }: graphql.SelectionSetNode) => {
    const type = types.getParentType();
    const hasRows = selections.some((one) => 'alias' in one && /^(nodes|edges)$/.test(one.name.value));
    if (!hasRows || !graphql.isObjectType(type) || !('edges' in type.getFields())) return undefined;
    return { kind, selections: [...selections, ...ADDED.selectionSet.selections] };
  };
  return graphql.visit(document, graphql.visitWithTypeInfo(types, { SelectionSet: { leave } }));
}

/**
 * Takes the cursors of `addCursors` out of a result, and removes the last rows of its longest lists until it has at most a number of tokens.
 * @returns The lists that were cut, with the cursors of the last rows that are left.
 * @throws Error where the first rows alone are too large.
 */
export function cutToFit(result: graphql.ExecutionResult, tokens: number): readonly object[] {
  const lists = listsIn(result.data, '');
  const excess = (): number => sizeOf(result) - tokens * CHARACTERS;
  const cuts: object[] = [];
  while (excess() > 0) {
    const [list] = lists
      .filter(({ rows }) => rows.length > 1)
      .sort((a, b) => sizeOf(b.rows) - sizeOf(a.rows));
    if (!list) throw new Error('The result is too large. Select fewer fields, or fewer rows.');
    const { path, rows, cursors } = list;
    const total = rows.length;
    for (let left = excess(); left > 0 && rows.length > 1; ) left -= sizeOf(rows.pop());
    const after = cursors[rows.length - 1]?.cursor;
    cuts.push({ path, shown: rows.length, missing: total - rows.length, after });
  }
  return cuts;
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

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
