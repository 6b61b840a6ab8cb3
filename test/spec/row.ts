/** A row of the specification, and the test that proves it. */
export interface Row {
  /** Stable, and unique over both documents. */
  readonly id: string;
  /** What the documents promise, in short. */
  readonly what: string;
  /** For example `reference / Dataset`. */
  readonly where: string;
  /** The title of its test in `test/spec`, without the titles of the groups around it. */
  readonly test: string;
}

/** Rows of one section, each with the test that proves it: `id | what | test`. */
export function rowsOf(where: string, table: string): readonly Row[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', what = '', test = '', ...more] = line.split(' | ').map((cell) => cell.trim());
      if (test === '' || more.length > 0) throw new Error(`expected id | what | test, got ${line}`);
      return { id, what, where, test };
    });
}
