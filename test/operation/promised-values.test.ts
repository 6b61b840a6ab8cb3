// Tests that values which come later take memory until their operation ends.
import { expect, it } from 'vitest';
import { list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

const USER = { id: 'Integer', name: 'String', email: 'String' } as const;
const ids = Array.from({ length: 90 }, (_, index) => index + 1);

const openTasks = (memory: number) =>
  openDescribed(
    {
      task: resource({ index: list('task', 'tasks', { id: 'Integer', owner: refersTo(['user']) }) }),
      user: resource({ show: show('user', 'users', USER) }),
    },
    {
      'task#index': () =>
        ok({ tasks: ids.map((id) => ({ id, owner: { id: 1, _meta: { resolved: false } } })) }),
      'user#show': () => ok({ user: { id: 1, name: 'x', email: 'x@example.org' } }),
    },
    { limits: { upstream: { memory } } },
  );

/** A query of rows with this number of edges each, none of which is known. */
const edges = (count: number): string => {
  const selected = Array.from({ length: count }, (_, index) => `a${index}: owner { email }`).join(' ');
  return `{ tasks(first: 90) { nodes { ${selected} } } }`;
};

it('an operation that promises more values than there is memory for ends with an error', async () => {
  await using at = await openTasks(2_000_000);
  const { data, errors } = await at.ask(edges(40));
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } }]);
});

it('operations give back what their values have taken', async () => {
  await using at = await openTasks(2_000_000);
  for (let count = 0; count < 6; count += 1) expect((await at.ask(edges(10))).errors).toEqual([]);
});

it('by default there is memory for many', async () => {
  await using at = await openTasks(256 * 1_024 * 1_024);
  expect((await at.ask(edges(100))).errors).toEqual([]);
});
