// Orders the test files so that both processors are busy throughout a run.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whether a test file runs what is built, as users run it. */
export const isEndToEndTest = (path: string): boolean =>
  /\/(?:test\/e2e|examples\/test|test\/conformance)\//.test(path);

/** Whether a test file runs the built program: it, or what it imports from other tests, names a file of the build. */
export function isProgramTest(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  if (/\bdist\//.test(text)) return true;
  const imports = text.replaceAll(/^import type [^;]*;$/gm, '').matchAll(/ from '(\.[^']+\.ts)';$/gm);
  return [...imports]
    .map(([, name = '']) => resolve(path, '..', name))
    .some((file) => file.includes('/test/') && isProgramTest(file));
}

/** The part of a run in which the end-to-end tests begin. A long one at the end would leave a processor idle. */
const END_TO_END_PART = 0.85;

/** Spreads the end-to-end tests, which wait for processes and a browser, among the others, which compute. */
export class SpreadSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isEndToEnd = ({ moduleId }: TestSpecification): boolean => isEndToEndTest(moduleId);
    const place = (part: readonly TestSpecification[], share: number) =>
      part.map((file, index) => ({ file, position: (share * index) / part.length }));
    return [
      ...place(sorted.filter(isEndToEnd), END_TO_END_PART),
      ...place(
        sorted.filter((file) => !isEndToEnd(file)),
        1,
      ),
    ]
      .sort((a, b) => a.position - b.position)
      .map(({ file }) => file);
  }
}
