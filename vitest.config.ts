// How the tests run: files of a worker share loaded modules.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const TIMEOUT = 20_000;

/** What all test files have in common. */
const shared = {
  isolate: false,
  setupFiles: ['test/setup/secrecy.ts'],
  testTimeout: TIMEOUT,
  hookTimeout: TIMEOUT,
};

export default defineConfig({
  resolve: {
    // graphql-js refuses to work when two copies of it are loaded; node takes its CommonJS entry, vite its ESM one.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    // Tests also wait, for a browser or a process; one worker more uses that time.
    maxWorkers: availableParallelism() + 1,
    reporters: [
      'default',
      ['json', { outputFile: '.cache/vitest.json' }],
      './test/spec/coverage-reporter.ts',
    ],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          globalSetup: ['test/setup/e2e.ts'],
          testTimeout: 3 * TIMEOUT,
          include: ['test/e2e/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'in process',
          globalSetup: ['test/setup/explorer.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
        },
      },
    ],
  },
});
