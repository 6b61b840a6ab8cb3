// How the tests run: files share loaded modules, except those that start browsers and processes.
import { defineConfig } from 'vitest/config';

const TIMEOUT = 20_000;

/** What all test files have in common. */
const shared = {
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
    maxWorkers: '100%',
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
          // GraphiQL ignores a press now and then while it loads; a real fault fails twice.
          retry: 1,
          include: ['test/e2e/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'in process',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          isolate: false,
        },
      },
    ],
  },
});
