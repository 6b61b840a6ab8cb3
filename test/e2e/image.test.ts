// Tests that the commands of the Dockerfile make a program that serves, and the same bytes as the build of this folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesIn } from '../../build/build-if-changed.ts';
import { carryOut } from '../helpers/dockerfile.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = join(ROOT, 'deploy/Dockerfile');
/** On the disk of this repository, so that the packages take no space. */
const FOLDER = join(ROOT, '.cache/image');

beforeAll(() => rmSync(FOLDER, { recursive: true, force: true }));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The files of a build by their names. */
const readBuild = (dist: string): Readonly<Record<string, string>> =>
  Object.fromEntries(filesIn(dist).map((file) => [relative(dist, file), readFileSync(file, 'latin1')]));

it('makes a program that serves the sandbox', { timeout: 240_000 }, async () => {
  const image = carryOut(FILE, ROOT, FOLDER);
  const [built, here] = [join(FOLDER, 'build/build/dist'), join(ROOT, 'dist')].map(readBuild);
  expect(Object.keys(built ?? {})).toEqual(Object.keys(here ?? {}));
  expect(Object.keys(built ?? {}).filter((file) => built?.[file] !== here?.[file])).toEqual([]);
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

/** The address of GraphQL in the lines of the output. @throws Error when the output ends without one. */
async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [address] = /https?:\/\/[\w.:]+(?=\/graphql)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The program ended without an address.');
}
