// Generates the types of the examples, and builds their pages. Nothing is done unless something has changed since the last time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, sep } from 'node:path';
import apolloClient from '../examples/apollo-client/codegen.ts';
import codegen from '../examples/codegen/codegen.ts';
import react from '../examples/react/codegen.ts';
import urql from '../examples/urql/codegen.ts';
import { buildIfChanged, filesIn } from './build-if-changed.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'examples');
const INPUTS = [
  ...['build/examples.ts', 'build/build-if-changed.ts', 'package-lock.json', 'schema.graphql'].map((file) =>
    join(ROOT, file),
  ),
  ...filesIn(EXAMPLES).filter(
    (file) => !file.split(sep).some((name) => ['__generated__', 'dist'].includes(name)),
  ),
];

/** Runs a program of a package in the folder of an example. */
async function run(example: string, program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(join(ROOT, 'node_modules/.bin', program), args, {
    cwd: join(EXAMPLES, example),
    stdio: ['ignore', 'ignore', 'inherit'],
    // Tests, which build the pages too, have another value in the environment.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} failed in examples/${example}.`);
}

async function generateTypes(): Promise<void> {
  // The generator takes a second to load.
  const { generate } = await import('@graphql-codegen/cli');
  // One after another: the generator changes the folder that the process works in.
  for (const [example, config] of Object.entries({ 'apollo-client': apolloClient, codegen, react, urql })) {
    await generate({ ...config, cwd: join(EXAMPLES, example), silent: true }, true);
  }
}

const buildPage = (example: string): Promise<void> => run(example, 'vite', 'build', '--logLevel', 'error');

await buildIfChanged(join(ROOT, '.cache/examples.sha256'), INPUTS, async () => {
  await Promise.all([
    generateTypes().then(() => buildPage('react')),
    run('relay', 'relay-compiler').then(() => buildPage('relay')),
  ]);
});
