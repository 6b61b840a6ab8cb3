import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // graphql-js refuses to work when two copies of it are loaded; node takes its CommonJS entry, vite its ESM one.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup/secrecy.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: [
      'default',
      ['json', { outputFile: '.cache/vitest.json' }],
      './test/spec/coverage-reporter.ts',
    ],
  },
});
