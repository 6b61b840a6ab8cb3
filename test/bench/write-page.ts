// Writes the figures of the last run into a page, between two comments.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './table.ts';

const BEGIN = '<!-- generated: last run -->';
const END = '<!-- end -->';

/** A paragraph, heading or picture as Markdown, or the rows of a table. */
export type Part = string | readonly Row[];

/** Replaces the figures in a page. @throws Error when the page has no place for them. */
export function writePage(file: string, parts: readonly Part[]): void {
  const page = readFileSync(file, 'utf8');
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no lines ${BEGIN} and ${END}.`);
  const figures = parts.map((part) => (typeof part === 'string' ? part : toMarkdown(part))).join('\n\n');
  writeFileSync(file, `${page.slice(0, from)}${BEGIN}\n\n${figures}\n\n${page.slice(to)}`);
}

function toMarkdown(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns),
    line(columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => row[column]))),
  ].join('\n');
}
