// Fails a full run that leaves a row of the specification without a passing test, and writes the report of its rows and tests.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node';

const SPEC = import.meta.dirname;
/** The report is not committed: it follows from the rows and the tests. */
const REPORT = new URL('../../.cache/spec-coverage.md', import.meta.url);
/** Files of `rows`, in the order of the report. */
const DOCUMENTS = ['protocol', 'conventions', 'resources', 'snippets'];
const MOST_ROWS_A_TEST = 3;
const INTRODUCTION = `# Coverage of the specification

A run of all tests in \`test/spec\` writes this report from \`test/spec/rows\` and the titles of the tests.
`;

interface SpecTest {
  /** Without the ids of rows. */
  readonly title: string;
  readonly rows: readonly string[];
  readonly isPassed: boolean;
}

/** Judges passed runs with every file of `test/spec` and no filter by title; others show nothing about the rows. */
export default class CoverageReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    const vitest = this.#vitest;
    if (vitest === undefined || reason !== 'passed' || vitest.config.testNamePattern) return;
    const ran = modules.filter(({ moduleId }) => dirname(moduleId) === SPEC);
    const names = new Set(ran.map(({ moduleId }) => basename(moduleId)));
    const all = readdirSync(SPEC).filter((file) => file.endsWith('.test.ts'));
    if (!all.every((file) => names.has(file))) return;

    const { report, findings } = judge(ran.flatMap(readTests));
    mkdirSync(new URL('.', REPORT), { recursive: true });
    writeFileSync(REPORT, report);
    for (const finding of findings) vitest.logger.error(`specification: ${finding}`);
    if (findings.length > 0) process.exitCode = 1;
  }
}

function readTests({ children }: TestModule): readonly SpecTest[] {
  return [...children.allTests()].map((test) => {
    const [, ids, title = test.name] = /^\[([^\]]+)\] (.+)$/.exec(test.name) ?? [];
    return { title, rows: ids?.split(', ') ?? [], isPassed: test.result().state === 'passed' };
  });
}

/** The report, and what is wrong with rows and tests. */
function judge(tests: readonly SpecTest[]): {
  readonly report: string;
  readonly findings: readonly string[];
} {
  const findings: string[] = [];
  const known = new Set<string>();
  const lines = DOCUMENTS.flatMap((name) => readFileSync(`${SPEC}/rows/${name}.txt`, 'utf8').split('\n'));
  const printed = lines.map((line) => {
    const [, id, promise = ''] = /^([\w.#/-]+): (.+)$/.exec(line) ?? [];
    if (id === undefined) {
      if (line !== '' && !line.startsWith('#')) findings.push(`expected "id: promise", got "${line}"`);
      // A heading of a section begins its table.
      return line.startsWith('##')
        ? `#${line}\n\n${row('Row', 'Promise', 'Test')}\n${row('---', '---', '---')}`
        : line.replace('#', '##');
    }
    if (known.has(id)) findings.push(`two rows have the id ${id}`);
    known.add(id);
    const titles = tests.filter((test) => test.isPassed && test.rows.includes(id)).map(({ title }) => title);
    if (titles.length === 0) findings.push(`${id} has no passing test`);
    return row(`\`${id}\``, promise, titles.join('; '));
  });
  for (const { title, rows } of tests) {
    if (rows.length === 0) findings.push(`"${title}" does not begin with the ids of its rows in brackets`);
    if (rows.length > MOST_ROWS_A_TEST) findings.push(`"${title}" serves more than ${MOST_ROWS_A_TEST} rows`);
    findings.push(
      ...rows.filter((id) => !known.has(id)).map((id) => `"${title}" names ${id}, which is no row`),
    );
  }
  return {
    report: [INTRODUCTION, ...printed, readFileSync(`${SPEC}/rows/left-open.md`, 'utf8')].join('\n'),
    findings,
  };
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
