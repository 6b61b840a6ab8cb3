// Prints the tables of benchmarks.
/** One line of a table, by column. */
export type Row = Readonly<Record<string, string | number>>;

/** Prints rows under a title. The columns are those of the first row. */
export function printTable(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  console.table(rows, Object.keys(rows[0] ?? {}));
}

/** Rows as a table of Markdown, numbers to the right. */
export function toMarkdown(rows: readonly Row[]): string {
  const [first = {}] = rows;
  const columns = Object.keys(first);
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const marks = columns.map((column) => (typeof first[column] === 'number' ? '--:' : '---'));
  const cells = rows.map((row) => columns.map((column) => row[column] ?? ''));
  return `${[columns, marks, ...cells].map(line).join('\n')}\n`;
}

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number, digits = 1): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return rounded(
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN,
    digits,
  );
}

export const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));
