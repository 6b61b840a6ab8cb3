// Orders the test files so that both processors are busy throughout a run.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whether a test file runs what is built, as users run it. */
export const isEndToEndTest = (path: string): boolean =>
  /\/(?:test\/e2e|examples\/test|test\/conformance)\//.test(path);

/** Whether a test file may run the program. */
export const isProgramTest = (path: string): boolean => /\/test\/(?:cli|config)\//.test(path);

/** Spreads the end-to-end tests, which wait for processes and a browser, among the others, which compute. */
export class SpreadSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isEndToEnd = ({ moduleId }: TestSpecification): boolean => isEndToEndTest(moduleId);
    const place = (part: readonly TestSpecification[]) =>
      part.map((file, index) => ({ file, position: index / part.length }));
    return [...place(sorted.filter(isEndToEnd)), ...place(sorted.filter((file) => !isEndToEnd(file)))]
      .sort((a, b) => a.position - b.position)
      .map(({ file }) => file);
  }
}
