// Tests logs whose rows are added and deleted between two calls.
import { expect, test } from 'vitest';
import { readIds, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const LOG = '/v7.0/user_sessions?user_session[limit]=5';

async function readOften(sandbox: Sandbox, times: number, target = LOG) {
  const answers = [];
  for (let read = 0; read < times; read += 1) answers.push(await readIds(sandbox, target));
  return answers;
}

/** The ids of rows that are in a table at both times. */
const inBoth = (before: ReturnType<Sandbox['rows']>, after: ReturnType<Sandbox['rows']>) =>
  before.filter((row) => after.includes(row)).map(({ id }) => id);

test('a log gains and loses rows, and most of its rows exist throughout', async () => {
  await using still = await listenSandbox({ logs: 700 });
  await using sandbox = await listenSandbox({ changingRows: true });
  const before = sandbox.rows('user_sessions');
  await readOften(sandbox, 40);
  const after = sandbox.rows('user_sessions');
  const added = after.filter(({ id }) => id > 700);
  expect(added.length).toBeGreaterThan(5);
  const throughout = inBoth(before, after);
  expect(throughout.length).toBeLessThan(695);
  expect(throughout.length).toBeGreaterThan(650);

  await readOften(still, 40);
  expect(still.rows('user_sessions').map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});

test('some new rows are as old as others when times are shuffled', async () => {
  await using sandbox = await listenSandbox({ changingRows: true, shuffledTimes: true });
  await readOften(sandbox, 40);
  const isNew = ({ id }: { readonly id: number }) => id > 700;
  const timeOf = (row: ReturnType<Sandbox['rows']>[number]) => String(row['created_at']);
  const rows = sandbox.rows('user_sessions');
  const newest = Math.max(...rows.filter((row) => !isNew(row)).map((row) => Date.parse(timeOf(row))));
  const late = rows.filter((row) => isNew(row) && Date.parse(timeOf(row)) < newest - 60_000);
  expect(late.length).toBeGreaterThan(2);
  expect(late.length).toBeLessThan(rows.filter(isNew).length);
});

test('only the log that is read changes', async () => {
  await using sandbox = await listenSandbox({ changingRows: true });
  const tables = ['user_sessions', 'oom_reports', 'ip_address_assignments', 'property_histories', 'datasets'];
  const before = new Map(tables.map((table) => [table, sandbox.rows(table)]));
  await readOften(sandbox, 10, '/v7.0/datasets');
  await send(sandbox, '/v7.0/user_sessions/3');
  await readOften(sandbox, 10, '/v7.0/datasets/1/property_history');
  const changed = tables.filter((table) => sandbox.rows(table) !== before.get(table));
  expect(changed).toEqual(['property_histories']);
  const others = sandbox.rows('property_histories').filter((row) => row['dataset'] !== 1);
  expect(others).toEqual(before.get('property_histories')?.filter((row) => row['dataset'] !== 1));
});

test('rows of an unknown table are an error', async () => {
  await using sandbox = await listenSandbox();
  expect(() => sandbox.rows('books')).toThrow(/^expected one of the tables .*datasets.*, got books$/);
});
