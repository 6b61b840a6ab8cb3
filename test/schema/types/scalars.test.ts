// Tests the values of the scalar `JSON`.

import { describe, expect, it } from 'vitest';
import { action, resource } from '../../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../../helpers/described.ts';
import { ok, raw } from '../../helpers/stub-upstream.ts';

const THING = { id: 'Integer', name: 'String', free: 'Custom' } as const;
const RESOURCES = {
  thing: resource({
    show: action({ path: '/things/{thing_id}', namespace: 'thing', output: THING }),
    create: action({
      path: '/things',
      method: 'POST',
      namespace: 'thing',
      input: { free: 'Custom' },
      output: THING,
    }),
  }),
};
const CREATE = 'mutation ($free: JSON) { thingCreate(input: { free: $free }) { userErrors { code } } }';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Sends variables as text, because JavaScript cannot represent some numbers and depths. */
async function post({ facade }: DescribedApi, query: string, variables = '{}') {
  const response = await facade.yoga.fetch('http://facade/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-library-token': 'reader' },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  });
  const { data, errors = [] } = (await response.json()) as {
    data?: unknown;
    errors?: readonly { readonly extensions: Record<string, unknown> }[];
  };
  return { data, codes: errors.map(({ extensions }) => extensions['code']) };
}

describe('a JSON value', () => {
  it('is sent unchanged', async () => {
    await using at = await openDescribed(RESOURCES, { 'thing#create': () => ok({ thing: { id: 1 } }) });
    const free = { a: [1, -2.5, 9007199254740991, 'x', null, true], b: {} };
    await post(at, CREATE, JSON.stringify({ free }));
    await post(
      at,
      'mutation { thingCreate(input: { free: { a: [1, "x", null, ABC] } }) { userErrors { code } } }',
    );
    expect(at.upstream.calls.map(({ body }) => body)).toEqual([
      { thing: { free } },
      { thing: { free: { a: [1, 'x', null, 'ABC'] } } },
    ]);
  });

  it.each([
    ['an integer that JavaScript rounds', CREATE, '{"free":{"a":[9007199254740993]}}'],
    [
      'an integer in the document that JavaScript rounds',
      'mutation { thingCreate(input: { free: [9007199254740993] }) { userErrors { code } } }',
      '{}',
    ],
    ['more levels than the call stack allows', CREATE, `{"free":${nested(100_000)}}`],
  ])('with %s is rejected before a call and never changed', async (_name, query, variables) => {
    await using at = await openDescribed(RESOURCES);
    const { codes } = await post(at, query, variables);
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(at.upstream.calls).toEqual([]);
    expect(at.log).toEqual([]);
  });

  it('that is nested too deeply in a response is an error of its field', async () => {
    await using at = await openDescribed(RESOURCES, {
      'thing#show': () =>
        raw(
          `{"status":true,"response":{"thing":{"id":1,"name":"x","free":${nested(100_000)}}}}`,
          200,
          'application/json',
        ),
    });
    const { data, codes } = await post(at, '{ thing(id: 1) { name free } }');
    expect(data).toEqual({ thing: { name: 'x', free: null } });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });
});
