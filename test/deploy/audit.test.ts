// Tests the files for the audit: rsyslog sends each line as it is, also across a rotation, and logrotate rotates as the documents say.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { killAtExit } from '../helpers/running-process.ts';

const FILE = '/var/log/optiongraph/audit.jsonl';
const WAIT = { timeout: 20_000 };
const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

const isThere = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0;
const hasShipper = isThere('rsyslogd', '-v');
const hasRotation = isThere('logrotate', '--version');
if (!hasShipper) console.warn('SKIPPED: there is no rsyslogd, so the shipping of the audit is not tried');
if (!hasRotation) console.warn('SKIPPED: there is no logrotate, so the rotation of the audit is not tried');

/** Replaces a text that must occur. */
function replace(text: string, old: string, by: string): string {
  if (!text.includes(old)) throw new Error(`expected ${old}`);
  return text.replace(old, by);
}

it('is about the same file everywhere, in the folder that the unit makes', () => {
  expect(read('audit/logrotate.conf')).toContain(`\n${FILE} {`);
  expect(read('audit/rsyslog.conf')).toContain(`file="${FILE}"`);
  expect(read('optiongraph.service')).toContain('\nLogsDirectory=optiongraph\n');
});

it.skipIf(!hasShipper)('rsyslog sends each line as it is, also when the file is rotated', async () => {
  using folder = makeFolder();
  let received = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => {
      received += chunk;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const file = join(folder.path, 'audit.jsonl');
  const config = join(folder.path, 'rsyslog.conf');
  const shipped = replace(
    replace(replace(read('audit/rsyslog.conf'), FILE, file), 'audit.example.org', '127.0.0.1'),
    '6514',
    `${port}`,
  );
  writeFileSync(config, `global(workDirectory="${folder.path}")\n${shipped}`);
  expect(spawnSync('rsyslogd', ['-N1', '-f', config], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  const lines = Array.from({ length: 6 }, (_, index) =>
    JSON.stringify({ event: 'sent', write: `${index}`, odd: '% "\\ ü' }),
  );
  appendFileSync(file, `${lines.slice(0, 3).join('\n')}\n`);
  const rsyslog = spawn('rsyslogd', ['-n', '-f', config, '-i', join(folder.path, 'pid')], {
    stdio: 'ignore',
  });
  killAtExit(rsyslog);
  try {
    await expect.poll(() => received, WAIT).toBe(`${lines.slice(0, 3).join('\n')}\n`);
    renameSync(file, `${file}-1`);
    appendFileSync(file, `${lines.slice(3).join('\n')}\n`);
    await expect.poll(() => received, WAIT).toBe(`${lines.join('\n')}\n`);
  } finally {
    rsyslog.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

it.skipIf(!hasRotation)('logrotate renames the file once a day', () => {
  using folder = makeFolder();
  const logs = join(folder.path, 'logs');
  mkdirSync(logs, { mode: 0o700 });
  const file = join(logs, 'audit.jsonl');
  const config = join(folder.path, 'logrotate.conf');
  writeFileSync(config, replace(read('audit/logrotate.conf'), FILE, file), { mode: 0o600 });
  writeFileSync(file, '{}\n');
  const rotate = (...flags: readonly string[]) =>
    spawnSync('logrotate', ['-s', join(folder.path, 'state'), ...flags, config], { encoding: 'utf8' });
  expect(rotate('-f')).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(logs)).toEqual([expect.stringMatching(/^audit\.jsonl-\d{8}$/)]);
  writeFileSync(file, '{}\n');
  expect(rotate()).toMatchObject({ status: 0 });
  expect(existsSync(file)).toBe(true);
});
