// How the tests run: files of a worker share loaded modules.
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { isInstalled, OTHER_FOLDERS } from './test/setup/other-packages.ts';
import { SpreadSequencer } from './test/setup/spread-sequencer.ts';

/** Milliseconds. Those that wait for a browser or a process need them on a busy machine. */
const TIMEOUT = 60_000;

/**
 * Code of a test runs a few times, so that compiling it well takes longer than running it: by default, the optimizing compiler and the
 * threads of the garbage collector take a third of a worker's time. Later versions of Node have a cheaper compiler, and not that flag.
 */
const WORKER_FLAGS = ['--single-threaded-gc', '--max-semi-space-size=32'];
if (process.version.startsWith('v20.')) WORKER_FLAGS.push('--interrupt-budget=1000000');

export default defineConfig({
  resolve: {
    // graphql-js refuses to work when two copies of it are loaded; node takes its CommonJS entry, vite its ESM one.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...OTHER_FOLDERS.filter((folder) => !isInstalled(folder)).map((folder) => `${folder}/**`),
    ],
    isolate: false,
    execArgv: WORKER_FLAGS,
    // Tests also wait, for a browser or a process; two workers more use that time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SpreadSequencer },
    globalSetup: ['test/setup/global.ts'],
    setupFiles: ['test/setup/secrecy.ts'],
    testTimeout: TIMEOUT,
    // Pages and processes take longer than the default of a second on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: TIMEOUT,
    reporters: [
      'default',
      ['json', { outputFile: '.cache/vitest.json' }],
      './test/spec/coverage-reporter.ts',
    ],
  },
});
