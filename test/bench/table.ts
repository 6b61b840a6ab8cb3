// Prints the tables of benchmarks.
/** One line of a table, by column. */
export type Row = Readonly<Record<string, string | number>>;

/** Prints rows under a title, numbers to the right. The columns are those of the first row. */
export function printTable(title: string, rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const text = (row: Row, column: string): string => String(row[column] ?? '');
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => text(row, column).length)),
  );
  const line = (cells: readonly string[], isRight: (index: number) => boolean): string =>
    cells
      .map((cell, i) => (isRight(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const isNumber = (i: number): boolean => typeof rows[0]?.[columns[i] ?? ''] === 'number';
  console.log(`\n${title}\n`);
  console.log(line(columns, isNumber));
  for (const row of rows)
    console.log(
      line(
        columns.map((column) => text(row, column)),
        isNumber,
      ),
    );
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
