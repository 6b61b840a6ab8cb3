import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import { openRows, printCoverage } from './coverage.ts';

const SPEC = import.meta.dirname;
const MOST_SHOWN = 10;
const PAGE = new URL('../../docs/spec-coverage.md', import.meta.url);

/**
 * Fails a run that leaves a row of the specification open. It judges runs with every file of `test/spec` and no filter by
 * title; others show nothing about the rows.
 */
export default class CoverageReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    const vitest = this.#vitest;
    if (vitest === undefined || reason === 'interrupted' || vitest.config.testNamePattern) return;
    const ran = modules.filter(({ moduleId }) => dirname(moduleId) === SPEC);
    const names = new Set(ran.map(({ moduleId }) => basename(moduleId)));
    const all = readdirSync(SPEC).filter((file) => file.endsWith('.test.ts'));
    if (!all.every((file) => names.has(file))) return;
    const tests = ran.flatMap(({ children }) =>
      [...children.allTests()].map((test) => ({
        title: test.name,
        passed: test.result().state === 'passed',
      })),
    );
    const findings = [...openRows(tests)];
    if (readFileSync(PAGE, 'utf8') !== printCoverage())
      findings.push('docs/spec-coverage.md is stale: npm run spec-coverage');
    if (findings.length === 0) return;
    for (const finding of findings.slice(0, MOST_SHOWN)) vitest.logger.error(`specification: ${finding}`);
    const more = findings.length - MOST_SHOWN;
    if (more > 0) vitest.logger.error(`specification: and ${more} more`);
    process.exitCode = 1;
  }
}
