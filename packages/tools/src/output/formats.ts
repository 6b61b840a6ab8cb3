// Prints results on standard output as JSON, as one JSON text a line, as CSV, or as a table.
import { clean, escapeControls, write, writeJson, writeTable } from '../command-line/output.ts';
import { Table } from './table.ts';
import { isObject } from './values.ts';

export const FORMATS = ['json', 'ndjson', 'table', 'csv'] as const;
/** `json` prints a value as a whole, `ndjson` one row a line, `table` rows in columns, `csv` rows for spreadsheets. */
export type Format = (typeof FORMATS)[number];

/** Longest text of a cell on a terminal. Elsewhere, cells are whole. */
const CELL_WIDTH = 60;

/** Prints a value. @param isRaw As of `RowPrinter`. */
export async function printValue(value: unknown, format: Format, isRaw = false): Promise<void> {
  if (format === 'json' && isRaw) return new RowPrinter('ndjson', true).print(asList(value));
  if (format === 'json') return writeJson(toJson(value, 2));
  return new RowPrinter(format, isRaw).print(rowsOf(value));
}

/** The items of a list; any other value is the only item. */
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Prints rows that are all there. */
export const printRows = (rows: readonly unknown[], format: Format): Promise<void> =>
  new RowPrinter(format).print(rows);

/** Prints rows that arrive one after another. Names of columns are printed again only when they change. */
export class RowPrinter {
  readonly #format: Format;
  readonly #isRaw: boolean;
  readonly #table = new Table();
  #head = '';

  /**
   * @param isRaw Whether texts have no quotes, null is an empty line, and rows have no head, for pipes. Default: false.
   */
  constructor(format: Format, isRaw = false) {
    this.#format = format;
    this.#isRaw = isRaw;
  }

  async print(rows: readonly unknown[]): Promise<void> {
    switch (this.#format) {
      case 'json':
        return writeJson(toJson(rows, 2));
      case 'ndjson':
        for (const row of rows)
          if (this.#isRaw && !isObject(row) && !Array.isArray(row)) await write(toText(row ?? null));
          else await writeJson(toJson(row));
        return;
      case 'csv':
        return this.#printCsv(rows);
      case 'table':
        return this.#printTable(rows);
    }
  }

  async #printTable(rows: readonly unknown[]): Promise<void> {
    if (rows.length === 0) return;
    const texts = rows.map(
      (row) => new Map(flatten(row, '').map(([name, value]) => [clean(name), toCell(value)])),
    );
    const { head, lines } = this.#table.add(texts);
    await writeTable(this.#isRaw ? null : head, lines);
  }

  async #printCsv(rows: readonly unknown[]): Promise<void> {
    const flat = rows.map((row) => new Map(flatten(row, '')));
    const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
    const head = columns.map(quote).join(',');
    if (head !== this.#head && !this.#isRaw) await write(head);
    this.#head = head;
    for (const cells of flat)
      await write(columns.map((name) => quote(toText(cells.get(name) ?? null))).join(','));
  }
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

/** The values of a row by their columns. The fields of an object within are columns of their own. */
function flatten(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      flatten(inner, path === '' ? name : `${path}.${name}`),
    );
  return [[path === '' ? 'value' : path, value]];
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isListOfTexts ? value.join(', ') : JSON.stringify(value);
}

function toCell(value: unknown): string {
  const text = clean(toText(value));
  const isLong = process.stdout.isTTY && text.length > CELL_WIDTH;
  return isLong ? `${text.slice(0, CELL_WIDTH - 1)}…` : text;
}

/** A cell of CSV. */
const quote = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""').replaceAll('\r\n', '\n')}"` : text;
