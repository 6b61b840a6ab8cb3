// Finds the lists in a result whose rows are flat, to be shown as tables.

/** A list of a result, as a table. */
export interface ResultTable {
  /** Names and positions of the list in the result, such as `datasets.nodes`. */
  readonly path: string;
  readonly columns: readonly string[];
  /** The rows, with a text for each column. */
  readonly rows: readonly { readonly number: number; readonly cells: readonly string[] }[];
}

/** Rows that a table shows. */
export const MAX_ROWS = 1_000;
/** Tables of one result. */
const MAX_TABLES = 20;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Finds all lists of objects, from the outside in. A column is a value, a value of an object in the row (`user.label`), or the length of a list
 * in the row. The edges of a connection are left out where its nodes are there.
 */
export function readTables(data: unknown): readonly ResultTable[] {
  const tables: ResultTable[] = [];
  const search = (value: unknown, path: readonly (string | number)[]): void => {
    if (tables.length >= MAX_TABLES) return;
    if (Array.isArray(value)) {
      const rows: readonly unknown[] = value;
      const objects = rows.filter(isObject);
      if (objects.length > 0) tables.push(toTable(path.join('.'), objects.slice(0, MAX_ROWS)));
      for (const [index, row] of rows.entries()) search(row, [...path, index]);
    } else if (isObject(value))
      for (const [name, item] of Object.entries(value))
        if (!(name === 'edges' && 'nodes' in value)) search(item, [...path, name]);
  };
  search(data, []);
  return tables;
}

function toTable(path: string, objects: readonly JsonObject[]): ResultTable {
  const flat = objects.map((object) => new Map(cellsOf(object, '')));
  const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const rows = flat.map((cells, number) => ({ number, cells: columns.map((name) => cells.get(name) ?? '') }));
  return { path, columns, rows };
}

function cellsOf(object: JsonObject, prefix: string): [string, string][] {
  return Object.entries(object).flatMap(([key, value]): [string, string][] => {
    const name = `${prefix}${key}`;
    if (Array.isArray(value)) return [[name, value.some(isObject) ? countOf(value) : value.join(', ')]];
    if (!isObject(value)) return [[name, value === null ? '' : String(value)]];
    const list = value['nodes'] ?? value['edges'];
    if (Array.isArray(list)) return [[name, countOf(list)]];
    return cellsOf(value, `${name}.`);
  });
}

const countOf = ({ length }: readonly unknown[]): string => (length === 1 ? '1 row' : `${length} rows`);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
