// Tests logins with a password and a one-time code.
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../test/helpers/sandbox-requests.ts';
import { callTokenAction, createOneTimeCode, createStoppedClock } from '../../../../test/helpers/sign-in.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const clock = createStoppedClock();
const open = () => listenSandbox({ now: clock.now });
const refused = { status: 200, message: 'Invalid authentication credentials' };

async function firstStep(sandbox: Sandbox, options: Record<string, unknown> = {}): Promise<Json> {
  const credentials = { user: 'totp', password: 'sandbox', lifetime: 'fixed' };
  return callTokenAction(sandbox, '', { ...credentials, ...options });
}

async function secondStep(sandbox: Sandbox, { token }: Json, code: string): Promise<Json> {
  return callTokenAction(sandbox, '/totp', { token, code });
}

describe('a login in two steps', () => {
  test('ends after five wrong codes', async () => {
    await using sandbox = await open();
    const step = await firstStep(sandbox);
    for (let attempt = 0; attempt < 5; attempt += 1) await secondStep(sandbox, step, '000000');
    expect(await secondStep(sandbox, step, createOneTimeCode(sandbox, clock.now()))).toMatchObject(refused);
  });

  test('accepts each code once, and each step once', async () => {
    await using sandbox = await open();
    const [first, second] = [await firstStep(sandbox), await firstStep(sandbox)];
    const code = createOneTimeCode(sandbox, clock.now());
    expect(await secondStep(sandbox, first, code)).toMatchObject({ complete: true });
    expect(await secondStep(sandbox, second, code)).toMatchObject(refused);
    expect(await secondStep(sandbox, second, createOneTimeCode(sandbox, clock.now() - 30_000))).toMatchObject(
      refused,
    );
    const next = createOneTimeCode(sandbox, clock.now() + 30_000);
    expect(await secondStep(sandbox, first, next)).toMatchObject(refused);
    expect(await secondStep(sandbox, second, next)).toMatchObject({ complete: true });
  });

  test('waits five minutes for the code', async () => {
    await using sandbox = await open();
    const step = await firstStep(sandbox);
    expect(step['valid_to']).toBe(new Date(clock.now() + 300_000).toISOString());
    clock.seconds += 300;
    expect(await secondStep(sandbox, step, createOneTimeCode(sandbox, clock.now()))).toMatchObject(refused);
  });

  test('refuses unknown tokens, and requires both parameters', async () => {
    await using sandbox = await open();
    expect(await callTokenAction(sandbox, '/totp', { token: 'x', code: '000000' })).toMatchObject(refused);
    expect(await callTokenAction(sandbox, '/totp', { code: '' })).toMatchObject({
      status: 400,
      errors: { token: ['required parameter is missing'], code: ['must be present and non-empty'] },
    });
  });
});
