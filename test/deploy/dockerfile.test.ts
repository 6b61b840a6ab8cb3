// Tests the Dockerfile: its rules, and that its commands make a program that serves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { carryOut } from '../helpers/dockerfile.ts';
import { makeFolder } from '../helpers/folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = join(ROOT, 'deploy/Dockerfile');
const text = readFileSync(FILE, 'utf8');
const dockerfile = DockerfileParser.parse(text);

it('is valid', () => {
  expect(validate(text)).toEqual([]);
});

it('names the version of each base image', () => {
  const images = dockerfile.getFROMs().map((from) => from.getImage() ?? '');
  expect(images.length).toBeGreaterThan(0);
  expect(images.filter((image) => !/:.*\$\{\w+_VERSION\}$/.test(image))).toEqual([]);
  const defaults = dockerfile.getInitialARGs().map((arg) => arg.getProperty()?.getValue() ?? '');
  expect(defaults.filter((version) => !/^\d+(\.\d+)+$/.test(version))).toEqual([]);
});

it('ends as a numbered user that is not root, with a health check', () => {
  const instructions = dockerfile.getInstructions();
  const start = instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM');
  const lastStage = instructions.slice(start);
  const argumentsOf = (keyword: string) =>
    lastStage.findLast((instruction) => instruction.getKeyword() === keyword)?.getArgumentsContent();
  expect(argumentsOf('HEALTHCHECK')).toBeDefined();
  expect(argumentsOf('USER')).toMatch(/^[1-9]\d+$/);
});

it('starts the program itself, so that signals reach it', () => {
  for (const instruction of [...dockerfile.getENTRYPOINTs(), ...dockerfile.getCMDs()])
    expect(instruction.getArgumentsContent()).toMatch(/^\[".*"\]$/);
});

it('copies only files that the build context has', () => {
  const ignored = readFileSync(`${FILE}.dockerignore`, 'utf8').split('\n');
  const fromContext = dockerfile.getCOPYs().filter((copy: Copy) => copy.getFromFlag() === null);
  const sources = fromContext.flatMap((copy) => copy.getArguments().slice(0, -1));
  const exceptions = sources.map((source) => `!${source.getValue().replace(/\/$/, '')}`);
  expect(exceptions.filter((line) => !ignored.includes(line))).toEqual([]);
});

it('makes a program that serves the sandbox', { timeout: 240_000 }, async () => {
  using folder = makeFolder();
  const image = carryOut(FILE, ROOT, folder.path);
  const [program = '', ...args] = image.entrypoint;
  expect(program).toBe('node');
  const child = spawn(
    process.execPath,
    [...args, 'serve', '--sandbox', '--port', '0', '--host', '127.0.0.1'],
    {
      cwd: join(image.root, image.directory),
      env: image.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  try {
    const address = await addressIn(createInterface(child.stdout));
    const { status } = await fetch(new URL('/livez', address));
    expect(status).toBe(200);
    const explorer = await fetch(new URL('/graphql', address), { headers: { accept: 'text/html' } });
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await explorer.text()) ?? [];
    expect((await fetch(new URL(script, explorer.url))).headers.get('content-type')).toContain('javascript');
  } finally {
    child.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
});

/** The first address in a line of the output. @throws Error when the output ends without one. */
async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [address] = /https?:\/\/[\w.:]+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The program ended without an address.');
}
