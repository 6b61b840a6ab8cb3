// Tests the regular expressions of described rules, through GraphQL.

import { expect, it } from 'vitest';
import { action, list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

/** A text whose format is described. */
const formatted = (rx: string) => ({
  type: 'String',
  label: null,
  validators: { format: { rx, match: true, description: null, message: 'bad format' } },
});

/** Nested repetitions, for which a match takes more steps than it may. */
const COSTLY = '\\A(?:(?:a?){9999}){9999}\\z';

const openThings = () =>
  openDescribed(
    {
      thing: resource({
        index: {
          ...list('thing', 'things', { id: 'Integer' }),
          input: {
            layout: 'object',
            namespace: 'thing',
            parameters: { slow: formatted(COSTLY), code: formatted('\\A[a-z]+\\z') },
          },
        },
        make: action({
          method: 'POST',
          path: '/things',
          namespace: 'thing',
          input: {
            slow: formatted(COSTLY),
            code: formatted('\\A[a-z]+\\z'),
            other: formatted('\\A[[:alpha:]]+\\z'),
          },
        }),
      }),
    },
    { 'thing#make': () => ok({}), 'thing#index': () => ok({ things: [] }) },
    { limits: { documentTokens: 100_000, calls: 1000 } },
  );

const make = (input: string) => `thingMake(input: { ${input} }) { userErrors { code parameter } }`;
const rejected = { userErrors: [{ code: 'FORMAT', parameter: 'code' }] };
const accepted = { userErrors: [] };

it('rejects simple formats before any call, and leaves others to the API', async () => {
  await using api = await openThings();
  const { data } = await api.ask(`mutation { simple: ${make('code: "1"')} other: ${make('other: "1"')} }`);
  expect(data).toEqual({ simple: rejected, other: accepted });
  expect(api.upstream.calls).toHaveLength(1);
});

it('leaves one costly format to the API and still checks the others', async () => {
  await using api = await openThings();
  const { data } = await api.ask(`mutation { ${make('slow: "aaa", code: "1"')} }`);
  expect(data).toEqual({ thingMake: rejected });
  expect(api.upstream.calls).toEqual([]);
});
