// Tests `optiongraph watch` over the sandbox.
import { expect, test } from 'vitest';
import { runCli } from '../../../test/helpers/cli.ts';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { readJsonLines } from '../../../test/helpers/json-lines.ts';
import { admin, readProgress, stateId, write } from '../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type SandboxOptions } from '../../sandbox/src/listen-sandbox.ts';

/** A process that takes its standard input for a terminal. */
const ASKED = { NODE_OPTIONS: '--import=data:text/javascript,process.stdin.isTTY=true' };

/** Starts a sandbox with a running action. */
async function startAction(options: SandboxOptions = {}) {
  const sandbox = await listenSandbox({ step: 'manual', ...options });
  const body = { dataset: { name: 'watched' } };
  const id = stateId(await write(sandbox, 'POST', '/v7.0/datasets', admin(sandbox), body));
  return {
    sandbox,
    id,
    watch: (
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
      input: string | null = null,
    ) =>
      runCli(
        ['watch', String(id), '--upstream', sandbox.url, ...args],
        { OPTIONGRAPH_TOKEN: admin(sandbox).token, ...env },
        input,
      ),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

test('watch reports progress, and ends with the action', async () => {
  await using action = await startAction();
  const { sandbox } = action;
  await using cli = action.watch(['--format', 'ndjson']);
  await cli.waitForOutput(/"finished":false/);
  while (!(await readProgress(sandbox, action.id)).startsWith('done')) sandbox.advance();
  const { code, stdout, stderr } = await cli.ended;
  const states = readJsonLines(stdout);
  expect([code, states[0], states.at(-1)]).toMatchObject([
    0,
    { finished: false, outcome: 'RUNNING' },
    { finished: true, outcome: 'SUCCEEDED', progress: 1 },
  ]);
  expect(stderr).toMatch(/: 0 % .+running\n(.+\n)*.*: 100 % .+succeeded\n$/);
});

test('watch ends with 5 when the time is up or Ctrl-C stops it, and the action goes on', async () => {
  await using action = await startAction();
  const timed = action.watch(['--for', '0.2']);
  await using stopped = action.watch(['--format', 'ndjson']);
  await stopped.waitForOutput(/"finished":false/);
  stopped.signal('SIGINT');
  for (const { ended } of [timed, stopped]) {
    const { code, stderr } = await ended;
    const again = `optiongraph watch ${action.id} --upstream ${action.sandbox.url}/`;
    const message = `Action ${action.id} is still running. To watch it again: ${again}\n`;
    expect([code, stderr]).toEqual([5, expect.stringContaining(message)]);
  }
  expect(await readProgress(action.sandbox, action.id)).toMatch(/^running/);
});

test('on a terminal, Ctrl-C asks whether to cancel the action', async () => {
  await using action = await startAction();
  await using cli = action.watch(['--format', 'ndjson'], ASKED, 'y\n');
  await cli.waitForOutput(/"finished":false/);
  cli.signal('SIGINT');
  const { sandbox } = action;
  while ((await readProgress(sandbox, action.id)).startsWith('running'))
    await cli.waitForError(/asked to cancel/);
  while (!(await readProgress(sandbox, action.id)).startsWith('failed')) sandbox.advance();
  const { code, stdout, stderr } = await cli.ended;
  expect(stderr).toContain(`Cancel action ${action.id}?`);
  expect([code, readJsonLines(stdout).at(-1)]).toMatchObject([1, { outcome: 'FAILED' }]);
});

test('watch exits with 1 for an unknown action', async () => {
  expect(await runInProcess(['watch', '999999', '--sandbox'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: Action state not found (NOT_FOUND)\n',
  });
});

test.each([
  ['watch', '102'],
  ['query', 'subscription { actionProgress(id: 102) { outcome } }'],
])('%s tells an anonymous caller that others may see the action', async (command, argument) => {
  expect(await runInProcess([command, argument, '--sandbox', '--as', 'anonymous'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: Action state not found (NOT_FOUND)\nYou are anonymous; choose another caller of the sandbox with --as.\n',
  });
});
