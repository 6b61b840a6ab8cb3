// Tests logins with a password and a one-time code.
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../../test/helpers/sandbox-requests.ts';
import { callTokenAction, createOneTimeCode, createStoppedClock } from '../../../../test/helpers/sign-in.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const clock = createStoppedClock();
const sandbox = await listenSandbox({ now: clock.now });
afterAll(() => sandbox.close());
const refused = { status: 200, message: 'Invalid authentication credentials' };

async function firstStep(): Promise<Json> {
  return callTokenAction(sandbox, '', { user: 'totp', password: 'sandbox', lifetime: 'fixed' });
}

async function secondStep({ token }: Json, code: string): Promise<Json> {
  return callTokenAction(sandbox, '/totp', { token, code });
}

describe('a login in two steps', () => {
  test('ends after five wrong codes', async () => {
    const step = await firstStep();
    for (let attempt = 0; attempt < 5; attempt += 1) await secondStep(step, '000000');
    expect(await secondStep(step, createOneTimeCode(sandbox, clock.now()))).toMatchObject(refused);
  });

  test('accepts each code once, and each step once', async () => {
    const [first, second] = [await firstStep(), await firstStep()];
    const code = createOneTimeCode(sandbox, clock.now());
    expect(await secondStep(first, code)).toMatchObject({ complete: true });
    expect(await secondStep(second, code)).toMatchObject(refused);
    expect(await secondStep(second, createOneTimeCode(sandbox, clock.now() - 30_000))).toMatchObject(refused);
    const next = createOneTimeCode(sandbox, clock.now() + 30_000);
    expect(await secondStep(first, next)).toMatchObject(refused);
    expect(await secondStep(second, next)).toMatchObject({ complete: true });
  });

  test('waits five minutes for the code', async () => {
    const step = await firstStep();
    expect(step['valid_to']).toBe(new Date(clock.now() + 300_000).toISOString());
    clock.seconds += 300;
    expect(await secondStep(step, createOneTimeCode(sandbox, clock.now()))).toMatchObject(refused);
  });

  test('refuses unknown tokens, and requires both parameters', async () => {
    expect(await callTokenAction(sandbox, '/totp', { token: 'x', code: '000000' })).toMatchObject(refused);
    expect(await callTokenAction(sandbox, '/totp', { code: '' })).toMatchObject({
      status: 400,
      errors: { token: ['required parameter is missing'], code: ['must be present and non-empty'] },
    });
  });
});
