// Tests what commands show on terminals: colors, a line of progress, and neither where the terminal has none.
import { expect, test } from 'vitest';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import { admin, readProgress, stateId, write } from '../../../../test/helpers/sandbox-requests.ts';
import { runOnTerminal } from '../../../../test/helpers/terminal.ts';
import { listenSandbox } from '../../../sandbox/src/listen-sandbox.ts';

const ESCAPE = '\u001b';
const TABLE = ['query', '--sandbox', '--format', 'table', '{ datasets(first: 1) { nodes { name } } }'];

test('a table has a bold head, unless NO_COLOR is set', async () => {
  const shown = await Promise.all([
    runOnTerminal(TABLE).ended,
    runOnTerminal(TABLE, { NO_COLOR: '1' }).ended,
  ]);
  expect(shown[0]).toContain(`${ESCAPE}[1mname`);
  for (const plain of shown.slice(1)) {
    expect(plain).toMatch(/^name\r\n\S+\r\n.*\[0\]/s);
    expect(plain).not.toContain(ESCAPE);
  }
});

test('JSON has colors on a terminal, and none elsewhere', async () => {
  const args = ['query', '--sandbox', '{ datasets(first: 1) { nodes { databaseId name } } }'];
  const shown = await runOnTerminal(args).ended;
  expect(shown).toContain(`${ESCAPE}[34m"databaseId"${ESCAPE}[39m: ${ESCAPE}[36m`);
  expect(shown).toContain(`${ESCAPE}[34m"name"${ESCAPE}[39m: ${ESCAPE}[32m"`);
  expect((await runInProcess(args)).stdout).not.toContain(ESCAPE);
});

test('watch writes one line again on a terminal, within its width', async () => {
  const shown = await watch({ TERM: 'xterm' }, 20);
  expect(shown).toMatch(/\[0\]\r\n$/);
  const parts = shown.split(`\r${ESCAPE}[K`).slice(1);
  const lines = parts
    .map((text) => text.split('\r')[0] ?? '')
    .filter((line) => line !== '' && !line.includes('finished'));
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(19);
});

test('watch writes lines on a terminal that cannot move', async () => {
  const shown = await watch({ TERM: 'dumb' }, 80);
  expect(shown).toMatch(/: 0 % .*\r\n.*: 100 % .*succeeded\r\n/s);
  expect(shown).not.toContain(ESCAPE);
});

/** Watches an action to its end, and returns what the terminal has received. */
async function watch(env: Readonly<Record<string, string>>, columns: number): Promise<string> {
  await using sandbox = await listenSandbox({ step: 'manual' });
  const body = { dataset: { name: 'watched' } };
  const id = stateId(await write(sandbox, 'POST', '/v7.0/datasets', admin(sandbox), body));
  const args = ['watch', String(id), '--upstream', sandbox.url, '--format', 'ndjson'];
  await using terminal = runOnTerminal(
    args,
    { OPTIONGRAPH_TOKEN: admin(sandbox).token, ...env },
    { columns },
  );
  // The terminal may have colors.
  await terminal.shows(/"finished"[^,]*false/);
  while (!(await readProgress(sandbox, id)).startsWith('done')) sandbox.advance();
  return await terminal.ended;
}
