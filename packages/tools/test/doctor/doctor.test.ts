// Tests `optiongraph doctor` over sandboxes with and without faults.
import { expect, test } from 'vitest';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import { describeApi } from '../../../../test/helpers/describe-api.ts';
import { listen } from '../../../../test/helpers/plain-server.ts';
import { ACTION_STATE, createRunningActions } from '../../../../test/helpers/running-actions.ts';
import { admin, ordinaryUser } from '../../../../test/helpers/sandbox-requests.ts';
import { refuse, startStub } from '../../../../test/helpers/stub-upstream.ts';
import { listenSandbox } from '../../../sandbox/src/listen-sandbox.ts';

test('doctor reports how the API is served, and writes nothing', async () => {
  await using sandbox = await listenSandbox();
  const methods = new Set<string>();
  sandbox.onRequest(({ method }) => methods.add(method));
  const args = ['doctor', '--upstream', sandbox.url, '--format', 'json'];
  const { code, stdout, stderr } = await runInProcess(args, { OPTIONGRAPH_TOKEN: admin(sandbox).token });
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      { check: 'reach', result: 'ok', detail: `${sandbox.url}/ answers as a HaveAPI server` },
      { check: 'version', result: 'ok', detail: expect.stringMatching(/^the API's default, .+ \/v7\.0\//) },
      { check: 'sign-in', result: 'ok', detail: expect.stringMatching(/password.+token in .+OAuth 2\.0/) },
      { check: 'caller', result: 'ok', detail: 'signed in (token)' },
      { check: 'size', result: 'ok', detail: expect.stringMatching(/^\d+ resources with \d+ actions/) },
      { check: 'running actions', result: 'ok', detail: 'can be watched; one that is running was' },
    ]),
  );
  expect({ code, stderr, methods }).toEqual({
    code: 0,
    stderr: 'No findings.\n',
    methods: new Set(['OPTIONS', 'GET']),
  });
});

test('doctor starts no action to watch one', async () => {
  await using sandbox = await listenSandbox({ step: 'manual' });
  sandbox.advance(1_000);
  const args = ['doctor', '--upstream', sandbox.url, '--format', 'json'];
  const { stdout } = await runInProcess(args, { OPTIONGRAPH_TOKEN: ordinaryUser(sandbox).token });
  expect(JSON.parse(stdout)).toContainEqual({
    check: 'running actions',
    result: 'ok',
    detail: 'can be watched; none is running, so it was not tried',
  });
});

test.each([
  [403, 'no'],
  [500, 'The management API did not answer the state of the action for too long; .+'],
])('doctor names the running action whose state is answered with %s', async (status, reason) => {
  const running = createRunningActions();
  running.set({ id: 5 });
  const refused = () => refuse('no', null, status);
  const handlers = { ...running.handlers, 'action_state#show': refused, 'action_state#poll': refused };
  await using stub = await startStub(describeApi({ action_state: ACTION_STATE }), handlers);
  const args = ['doctor', '--upstream', stub.url.href, '--format', 'json'];
  const { code, stdout } = await runInProcess(args, { OPTIONGRAPH_TOKEN: 'reader' });
  expect(JSON.parse(stdout)).toContainEqual({
    check: 'running actions',
    result: 'finding',
    detail: expect.stringMatching(`^an action that is running cannot be watched: ${reason}$`),
    example: 'action_state/5',
  });
  expect(code).toBe(1);
});

test('doctor says why an address cannot be used', async () => {
  await using website = await listen((_request, response) => response.end('<h1>Hello</h1>'));
  const endings = await Promise.all(
    [website.url, 'http://nowhere.invalid/'].map((url) => runInProcess(['doctor', '--upstream', url])),
  );
  expect(endings.map(({ code }) => code)).toEqual([3, 3]);
  expect(endings[0]?.stderr).toContain('this is not a HaveAPI server. Check --upstream.');
  expect(endings[1]?.stderr).toContain('its host name does not exist (ENOTFOUND). Check --upstream.');
});
