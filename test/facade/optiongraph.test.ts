// Tests what createOptiongraph refuses, and its end.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createOptiongraph } from '../../src/index.ts';
import { listen } from '../helpers/plain-server.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await listenSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const post = (url: string): Request =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });

const refuse = (options: object): Promise<unknown> =>
  createOptiongraph(options as { upstream: string }).then(
    () => null,
    (error: unknown) => String(error),
  );

it('names an address that is none, and does not repeat it', async () => {
  expect(await refuse({ upstream: 'secret@nowhere' })).toBe(
    'TypeError: The option upstream must be an address such as https://api.example.org/; it is none.',
  );
  expect(await refuse({ upstream: sandbox.url, snippets: { url: 'x' } })).toMatch(
    'The option snippets.url must',
  );
  expect(await refuse({})).toMatch(
    'The option upstream must be an address such as https://api.example.org/; it is missing.',
  );
});

it('names an option that does not exist, also one within a group', async () => {
  const upstream = sandbox.url;
  expect(await refuse({ upstream, readonly: true })).toBe(
    'TypeError: There is no option readonly; did you mean readOnly?',
  );
  expect(await refuse({ upstream, limits: { documentToken: 3 } })).toMatch(
    'There is no option limits.documentToken; did you mean limits.documentTokens?',
  );
  expect(await refuse({ upstream, toString: 1 })).toMatch('There is no option toString.');
});

it('names an option with a value that it cannot have, and does not repeat the value', async () => {
  const upstream = sandbox.url;
  const refused = async (options: object): Promise<unknown> => refuse({ upstream, ...options });
  expect(await refused({ introspection: 'sometimes' })).toMatch(
    'The option introspection must be one of on, authenticated, off.',
  );
  expect(await refused({ clientHeaders: ['cookie'] })).toMatch(
    'The option clientHeaders must be a list of client-ip',
  );
  expect(await refused({ endpoint: 'graphql' })).toMatch(
    'The option endpoint must be a path, which begins with "/".',
  );
});

it('names the option with SDL that has a syntax error', async () => {
  expect(await refuse({ upstream: sandbox.url, extendSchema: { typeDefs: 'type {', resolvers: {} } })).toBe(
    'TypeError: The option extendSchema.typeDefs, line 1, column 6: Syntax Error: Expected Name, found "{".',
  );
});

it('answers 503 after its end', async () => {
  const own = await createOptiongraph({ upstream: sandbox.url });
  await using plain = await listen(own.handler);
  await own.dispose();
  for (const response of [
    await own.fetch(post('http://any.test/graphql')),
    await fetch(post(`${plain.url}graphql`)),
  ]) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'SHUTTING_DOWN' } }] });
  }
});
