// Writes docs/spec-coverage.md from vitest's report of the last run; refuses while a row is open.
import { readFileSync, writeFileSync } from 'node:fs';
import { openRows, printCoverage } from './coverage.ts';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const root = new URL('../../', import.meta.url);
const report: Report = JSON.parse(readFileSync(new URL('.cache/vitest.json', root), 'utf8'));
const ran = report.testResults
  .filter(({ name }) => name.startsWith(import.meta.dirname))
  .flatMap(({ assertionResults }) => assertionResults)
  .map(({ title, status }) => ({ title, passed: status === 'passed' }));
const findings = openRows(ran);
for (const finding of findings) console.error(`specification: ${finding}`);
if (findings.length > 0) process.exitCode = 1;
else writeFileSync(new URL('docs/spec-coverage.md', root), printCoverage());
