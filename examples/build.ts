// Generates the types of the examples, and builds their pages. Nothing is done unless something has changed since the last time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, sep } from 'node:path';
import { buildIfChanged, filesIn } from '../build/build-if-changed.ts';
import apolloClient from './apollo-client/codegen.ts';
import codegen from './codegen/codegen.ts';
import react from './react/codegen.ts';
import urql from './urql/codegen.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = import.meta.dirname;
/** Those with a configuration of GraphQL Code Generator. */
const GENERATED = { 'apollo-client': apolloClient, codegen, react, urql };
const INPUTS = [
  ...['build/build-if-changed.ts', 'examples/build.ts', 'examples/package-lock.json', 'schema.graphql'].map(
    (file) => join(ROOT, file),
  ),
  ...[...Object.keys(GENERATED), 'relay']
    .flatMap((example) => filesIn(join(EXAMPLES, example)))
    .filter((file) => !file.split(sep).some((name) => ['__generated__', 'dist'].includes(name))),
];

/** Runs a program of a package in the folder of an example. */
async function run(example: string, program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(join(EXAMPLES, 'node_modules/.bin', program), args, {
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
  for (const [example, config] of Object.entries(GENERATED)) {
    await generate({ ...config, cwd: join(EXAMPLES, example), silent: true }, true);
  }
}

const buildPage = (example: string): Promise<void> => run(example, 'vite', 'build', '--logLevel', 'error');

await buildIfChanged([join(ROOT, '.cache/examples.sha256')], INPUTS, async () => {
  await Promise.all([
    generateTypes().then(() => buildPage('react')),
    run('relay', 'relay-compiler').then(() => buildPage('relay')),
  ]);
});
