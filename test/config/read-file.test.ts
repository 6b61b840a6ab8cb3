// Tests that files which settings name are read, whatever they are.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { makeFolder } from '../helpers/folder.ts';

const CHECK = ['config', 'check', '--sandbox'];
const VALID = { code: 0, stdout: 'The settings are valid.\n', stderr: '' };

const bySecret = (file: string) => runInProcess(CHECK, { UPSTREAM_AUTHORIZATION_FILE: file });

function makePipe(folder: string): string {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

/** Begins to write to a pipe, by another process. */
async function writeTo(pipe: string, text: string): Promise<void> {
  const writer = spawn('sh', ['-c', 'echo begins; exec echo "$1" > "$2"', 'sh', text, pipe]);
  await once(writer.stdout, 'data');
}

describe.skipIf(process.platform === 'win32')('a file that settings name', () => {
  test('may be a link to a file of root that others may read, as in a volume of Kubernetes', async () => {
    using folder = makeFolder();
    const data = join(folder.path, '..2026_01_01');
    mkdirSync(data);
    writeFileSync(join(data, 'secret'), 'Bearer canary-s3cr3t\n', { mode: 0o644 });
    symlinkSync(data, join(folder.path, '..data'));
    symlinkSync(join('..data', 'secret'), join(folder.path, 'secret'));
    expect(await bySecret(join(folder.path, 'secret'))).toEqual(VALID);
  });

  test('may be a pipe', async () => {
    using folder = makeFolder();
    const pipe = makePipe(folder.path);
    await writeTo(pipe, 'Bearer canary-s3cr3t');
    expect(await bySecret(pipe)).toEqual(VALID);
    await writeTo(pipe, 'port: 70000');
    expect(await runInProcess([...CHECK, '--config', pipe])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`port in ${pipe} must be a whole number from 0 to 65535`),
    });
  });

  test.each([
    ['/dev/zero', 'it is a device'],
    ['/dev', 'it is a folder'],
    ['/nowhere/at/all', 'ENOENT'],
  ])('is refused where it is %s', async (file, problem) => {
    expect(await bySecret(file)).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  });
});
