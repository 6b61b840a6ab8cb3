// Prints results on standard output as JSON, as one JSON text a line, or as a table.
import Table from 'cli-table3';
import { escapeControls } from '../../../telemetry/control-characters.ts';
import { isObject } from '../../../upstream/json.ts';
import { clean, write, writeTable } from '../../output.ts';

export const FORMATS = ['json', 'ndjson', 'table'] as const;
/** `json` prints a value as a whole, `ndjson` one row a line, `table` rows in columns. */
export type Format = (typeof FORMATS)[number];

/** Longest text of a cell on a terminal. Elsewhere, cells are whole. */
const CELL_WIDTH = 60;

/** Prints a value. */
export async function printValue(value: unknown, format: Format): Promise<void> {
  if (format === 'json') return write(toJson(value, 2));
  return printRows(rowsOf(value), format);
}

/** Prints rows. @param cells Whether a table on a terminal has long cells as a whole. Default: it shortens them. */
export async function printRows(
  rows: readonly unknown[],
  format: Format,
  cells: 'short' | 'whole' = 'short',
): Promise<void> {
  if (format === 'json') return write(toJson(rows, 2));
  if (format === 'table') return rows.length === 0 ? undefined : writeTable(toTable(rows, cells === 'whole'));
  for (const row of rows) await write(toJson(row));
}

/** The rows of a value: the items of a list, or those of the only connection or list within; else the value is the only row. */
export function rowsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  const { nodes, edges } = value;
  if (Array.isArray(nodes)) return nodes;
  if (Array.isArray(edges)) return edges;
  const [only, ...others] = Object.values(value);
  return others.length === 0 && typeof only === 'object' && only !== null ? rowsOf(only) : [value];
}

const toJson = (value: unknown, indent = 0): string => escapeControls(JSON.stringify(value, null, indent));

function toTable(rows: readonly unknown[], hasWholeCells: boolean): string {
  const flat = rows.map((row) => new Map(flatten(row, '')));
  const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const table = new Table({
    head: columns.map(clean),
    // No lines between cells, so that other programs can read them too.
    chars: Object.fromEntries(BORDERS.map((name) => [name, name === 'middle' ? '  ' : ''])),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  const cellOf = hasWholeCells ? (text: string): string => text : shorten;
  for (const cells of flat) table.push(columns.map((name) => cellOf(cells.get(name) ?? '')));
  return table.toString().replaceAll(/ +$/gm, '');
}

const BORDERS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];

/** The cells of a row by their columns. The fields of an object within are columns of their own. */
function flatten(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      flatten(inner, path === '' ? name : `${path}.${name}`),
    );
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const text = isListOfTexts
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : value === null
        ? ''
        : JSON.stringify(value);
  return [[path === '' ? 'value' : path, clean(text)]];
}

const shorten = (text: string): string =>
  process.stdout.isTTY && text.length > CELL_WIDTH ? `${text.slice(0, CELL_WIDTH - 1)}…` : text;
