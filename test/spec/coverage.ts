import { notShown } from './not-shown.ts';
import { protocolRows } from './protocol-rows.ts';
import { referenceRows } from './reference-rows.ts';
import type { Row } from './row.ts';

const MOST_ROWS_A_TEST = 3;

/** The table of each document, by its title. */
export const documents: Readonly<Record<string, readonly Row[]>> = {
  'Protocol, authentication and conventions': protocolRows,
  'Resource reference': referenceRows,
};

/** A test of `test/spec` that ran. */
export interface RanTest {
  /** Without the titles of the groups around it. */
  readonly title: string;
  readonly passed: boolean;
}

/** What is wrong with the tables after these tests: nothing, when every row has a test that ran and passed. */
export function openRows(ran: readonly RanTest[]): readonly string[] {
  const rows = Object.values(documents).flat();
  const passed = new Set(ran.filter((test) => test.passed).map(({ title }) => title));
  const named = new Map<string, number>();
  for (const { test } of rows) named.set(test, (named.get(test) ?? 0) + 1);
  return [
    ...rows.filter(({ test }) => !passed.has(test)).map(({ id, test }) => `${id}: no test "${test}" passed`),
    ...[...named]
      .filter(([, count]) => count > MOST_ROWS_A_TEST)
      .map(([title, count]) => `"${title}" serves ${count} rows, more than ${MOST_ROWS_A_TEST}`),
    ...repeated(rows.map(({ id }) => id)).map((id) => `${id}: two rows have this id`),
    ...repeated(ran.map(({ title }) => title)).map((title) => `"${title}" is the title of two tests`),
    ...ran.filter(({ title }) => !named.has(title)).map(({ title }) => `"${title}" serves no row`),
  ];
}

/** The tables as Markdown. */
export function printCoverage(): string {
  const total = Object.values(documents).flat().length;
  const parts = [
    '# Coverage of the specification',
    `Written by \`npm run spec-coverage\` from the report of the last test run. ${total} rows, each with a test in \`test/spec\` that ran and passed; \`npm test\` fails when one has none, when a test serves more than ${MOST_ROWS_A_TEST} rows, or when this page is stale.`,
  ];
  for (const [title, rows] of Object.entries(documents)) {
    parts.push(`## ${title}`);
    parts.push(
      table(
        ['Row', 'What', 'Where', 'Test'],
        rows.map(({ id, what, where, test }) => [`\`${id}\``, what, where, test]),
      ),
    );
  }
  parts.push('## Left open by the documents, and decided here');
  parts.push(table(['Where', 'Left open', 'Decision'], notShown));
  return `${parts.join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
