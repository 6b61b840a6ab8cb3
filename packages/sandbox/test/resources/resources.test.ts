// Tests that the examples in the description are real.
import { describe, expect, test } from 'vitest';
import { admin, type Json, post, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

describe('examples in the description', async () => {
  const shown = [...(await describedActions())].flatMap(([scope, action]) =>
    (action['examples'] as unknown as readonly Json[]).map((example) => ({ scope, action, example })),
  );

  test.each(shown)('of $scope match the real response', async ({ action, example }) => {
    await using sandbox = await listenSandbox();
    const { path_params, request, response, status, message, errors, http_status } = example;
    const [id] = (path_params ?? []) as unknown as readonly number[];
    const path = String(action['path']).replace(/\{\w+\}/, String(id));
    const namespace = String(action['input']?.['namespace']);
    const query = Object.entries(request ?? {}).map(([name, value]) => `${namespace}[${name}]=${value}`);
    const reply =
      String(action['method']) === 'GET'
        ? await send(sandbox, `${path}?${query.join('&')}`)
        : await post(sandbox, path, admin(sandbox), { [namespace]: request });
    expect(reply.status).toBe(http_status);
    expect(reply.envelope).toMatchObject({ status, message, errors });
    const answer = reply.envelope['response']?.[String(action['output']?.['namespace'])] ?? null;
    if (response === null) expect(answer).toBeNull();
    else expect(answer).toMatchObject(response ?? {});
  });

  test('have the keys of the specification', () => {
    expect(shown.length).toBeGreaterThan(3);
    const keys = ['title', 'comment', 'path_params', 'request', 'response', 'status', 'message', 'errors'];
    for (const { example } of shown) expect(Object.keys(example)).toEqual([...keys, 'http_status']);
  });
});

/** Returns the actions that an administrator sees, by scope. */
async function describedActions(): Promise<ReadonlyMap<string, Json>> {
  await using sandbox = await listenSandbox();
  const { envelope } = await send(sandbox, '/v7.0/', admin(sandbox), { method: 'OPTIONS' });
  const all = new Map<string, Json>();
  const visit = (resources: Json): void => {
    for (const { actions, resources: nested } of Object.values(resources)) {
      for (const action of Object.values(actions as Json)) all.set(String(action['scope']), action);
      visit(nested as Json);
    }
  };
  visit(envelope['response']?.['resources'] as Json);
  return all;
}
