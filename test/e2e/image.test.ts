// Tests that the commands of the Dockerfile make a program that serves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { carryOut } from '../helpers/dockerfile.ts';
import { makeFolder } from '../helpers/folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = join(ROOT, 'deploy/Dockerfile');

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

/** The address of GraphQL in the lines of the output. @throws Error when the output ends without one. */
async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [address] = /https?:\/\/[\w.:]+(?=\/graphql)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The program ended without an address.');
}
