import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { type Bound, bounds } from './bounds.ts';

const refused = bounds.filter(({ message }) => message !== '');
const accepted = bounds.filter(({ message }) => message === '');
const enums = new Set(['lifetime', 'sync', 'admin_lock_type', 'type']);

/** Sends a bound's input through GraphQL: everything that it says is wrong. */
async function mutate(pair: Pair, { field, input }: Bound): Promise<readonly string[]> {
  const [name = '', rest = ''] = field.split(/\((.*)\)/);
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const variables = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      enums.has(key) ? String(value).toUpperCase() : value,
    ]),
  );
  const { data, errors } = await pair.ask<{ it: { userErrors: { message: string }[] } }>(
    `mutation ($input: ${type}) { it: ${name}(${rest}, input: $input) { userErrors { message } } }`,
    { variables: { input: variables } },
  );
  return [...errors, ...(data?.it.userErrors ?? [])].map(({ message }) => message);
}

/** Sends it to the sandbox as its own clients would. */
async function direct({ sandbox }: Pair, { of, request, input }: Bound): Promise<Json> {
  const [method = '', path = ''] = request.split(' ');
  const namespace = /(\w+)#/.exec(of)?.[1] ?? '';
  if (method === 'GET') {
    const query = Object.entries(input).map(([name, value]) => `${namespace}[${name}]=${value}`);
    return (await send(sandbox, `${path}?${query.join('&') || `${namespace}[other]=`}`)).envelope;
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ [namespace]: input });
  return (await send(sandbox, path, undefined, { method, headers, body })).envelope;
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 0 } });
});
afterAll(() => pair[Symbol.asyncDispose]());

test.each(refused.map((bound) => [bound.title, bound] as const))('%s', async (_title, bound) => {
  pair.calls.length = 0;
  const said = await mutate(pair, bound);
  expect(pair.calls).toEqual([]);
  // What has no value in GraphQL, none for a required parameter or one that is no choice, is refused by its type.
  const byType = bound.message.endsWith('is missing') || bound.message.endsWith('cannot be used');
  expect(said).toContainEqual(
    byType ? expect.stringMatching(/of required type|does not exist in/) : bound.message,
  );
  expect(await direct(pair, bound)).toMatchObject({
    status: false,
    response: null,
    message: 'input parameters are not valid',
    errors: { [bound.parameter]: expect.arrayContaining([bound.message]) },
  });
});

test.each(accepted.map((bound) => [bound.title, bound] as const))('%s', async (_title, bound) => {
  await using own = await startPair({ sandbox: { step: 0 } });
  expect(await mutate(own, bound)).toEqual([]);
  const call = own.calls.find(({ scope }) => scope === bound.of) ?? own.calls[0];
  const namespace = /(\w+)#/.exec(bound.of)?.[1] ?? '';
  expect(call).toMatchObject({ status: 200, body: { [namespace]: bound.input } });
});
