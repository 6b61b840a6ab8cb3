import { expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { readObject as held } from '../helpers/sandbox-requests.ts';
import { type Blocking, blocking, effectTitle, lockTitle } from './blocking.ts';

/** More steps than any action takes. */
const TO_THE_END = 50;

const open = () => startPair({ sandbox: { step: 'manual' } });
const write = (pair: Pair, mutation: string) =>
  pair.ask(`mutation { it: ${mutation} { userErrors { message } } }`);
const titled = (title: (one: Blocking) => string) => blocking.map((one) => [title(one), one] as const);

test.each(titled(effectTitle))('%s', async (_title, { action, begin, look, effect }) => {
  await using pair = await open();
  const before = await held(pair.sandbox, look);
  for (const fails of [true, false]) {
    if (fails) pair.sandbox.failNext('below', action);
    expect((await write(pair, begin)).data).toEqual({ it: { userErrors: [] } });
    const meanwhile = expect(await held(pair.sandbox, look));
    if (effect === 'at once') meanwhile.not.toEqual(before);
    else meanwhile.toEqual(before);
    pair.sandbox.advance(TO_THE_END);
    const after = expect(await held(pair.sandbox, look));
    if (fails) after.toEqual(before);
    else after.not.toEqual(before);
  }
});

test.each(titled(lockTitle))('%s', async (_title, { begin, kept }) => {
  await using pair = await open();
  const status = async (): Promise<number | undefined> => {
    await write(pair, kept);
    return pair.calls.findLast(({ method }) => method !== 'GET')?.status;
  };
  await write(pair, begin);
  expect(await status()).toBe(423);
  pair.sandbox.advance(TO_THE_END);
  expect(await status()).not.toBe(423);
});
