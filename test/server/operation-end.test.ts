// Tests operations that end early: their client leaves, or their time is over.
import { describe, expect, it } from 'vitest';
import { DEPARTURES } from '../helpers/departures.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { TRANSPORTS } from '../helpers/transports.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

const shop = shareWorkshop();

const headers = { 'x-library-token': 'one' };
const TOOL = ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } });

/** Names of the called actions, without those that read the states of actions. */
const callsOf = ({ upstream }: Workshop): string[] =>
  upstream.calls.map(({ scope }) => scope).filter((scope) => !scope.startsWith('action_state'));

describe.each(DEPARTURES)('a client that leaves over %s', (_name, depart) => {
  it('stops the writes that have not begun, and not the one under way', async () => {
    const stamps = holdAnswers(TOOL);
    shop.answer({ 'tool#stamp': stamps.handler });
    const fields = Array.from({ length: 100 }, (_, i) => `a${i}: toolStamp(id: 5) { userErrors { code } }`);
    const client = await depart(shop.url, `mutation { ${fields.join('\n')} }`, headers);
    for (let index = 0; index < 3; index += 1) (await stamps.take(index)).release();
    const last = await stamps.take(3);
    await client.leave();
    expect(last.isAbandoned).toBe(false);
    last.release();
    await shop.facade.shutdown.operations.idle();
    await shop.ask('{ tool(id: 5) { name } }');
    expect(callsOf(shop)).toEqual([...Array(4).fill('tool#stamp'), 'tool#show']);
  });

  it('takes its write back while that waits for its turn', async () => {
    const stamps = holdAnswers(TOOL);
    // Two calls at a time.
    const options = { transport: { connections: 2 } };
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler }, options);
    const { url } = await shop.listen();
    const others = [5, 7].map((id) => shop.ask(`mutation { toolStamp(id: ${id}) { userErrors { code } } }`));
    const writes = [await stamps.take(0), await stamps.take(1)];
    const client = await depart(url, 'mutation { toolStamp(id: 6) { userErrors { code } } }', headers);
    // Takes as long as the other operation takes to reach its turn.
    await shop.ask('{ session { authenticated } __schema { queryType { name } } }');
    await client.leave();
    for (const write of writes) write.release();
    for (const { errors } of await Promise.all(others)) expect(errors).toEqual([]);
    await shop.facade.shutdown.operations.idle();
    expect(callsOf(shop)).toEqual(['tool#stamp', 'tool#stamp']);
  });

  it('stops reads, and those that would follow', async () => {
    const shows = holdAnswers(TOOL);
    const options = { transport: { connections: 10 } };
    await using shop = await openWorkshop({ 'tool#show': shows.handler }, options);
    const { url } = await shop.listen();
    const fields = Array.from({ length: 30 }, (_, index) => `a${index}: tool(id: ${index}) { name }`);
    const client = await depart(url, `{ ${fields.join('\n')} }`, headers);
    const first = await shows.take(0);
    const tenth = await shows.take(9);
    await client.leave();
    await Promise.all([first.abandoned, tenth.abandoned]);
    await shop.facade.shutdown.operations.idle();
    expect(shop.log).toEqual([]);
    shop.upstream.handlers.set('tool#show', () => TOOL);
    await shop.ask('{ tool(id: 99) { name } }');
    expect(shop.upstream.calls).toHaveLength(11);
  });

  it('stops its wait', async () => {
    const query =
      'mutation { toolSharpen(id: 5, wait: 50) { actionState { id } } other: toolStamp(id: 5) { tool { name } } }';
    const client = await depart(shop.url, query, headers);
    await shop.actions.waitForOpenPolls(1);
    await client.leave();
    await shop.actions.waitForOpenPolls(0);
    await shop.facade.shutdown.operations.idle();
    await shop.ask('{ tool(id: 5) { name } }');
    expect(shop.facade.watcher.watched).toBe(0);
    expect(callsOf(shop)).toEqual(['tool#sharpen', 'tool#show']);
  });
});

describe.each(TRANSPORTS)('the time of an operation over %s', (_name, send) => {
  it('ends what a query has not finished, and keeps the rest', async () => {
    const shows = holdAnswers(TOOL);
    const options = { limits: { queryTime: 500 } };
    await using shop = await openWorkshop({ 'tool#show': shows.handler }, options);
    const { url } = await shop.listen();
    const query = '{ job(id: 1) { label } tool(id: 5) { name } }';
    const result = await send(url, { query }, headers);
    expect(result.data).toEqual({ job: { label: 'Sharpen' }, tool: null });
    expect(result.errors).toMatchObject([
      { path: ['tool'], extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } },
    ]);
    await (await shows.take(0)).abandoned;
  });

  it('ends the wait of a mutation with the latest state, and sends no further write', async () => {
    await using shop = await openWorkshop({}, { limits: { mutationTime: 2_000 } });
    const { url } = await shop.listen();
    const query = `mutation {
      toolSharpen(id: 5, wait: 50) { actionState { id outcome } }
      toolStamp(id: 5) { tool { name } }
    }`;
    const result = await send(url, { query }, headers);
    const actionState = { id: 'action_state/500', outcome: 'RUNNING' };
    expect(result.data).toEqual({ toolSharpen: { actionState }, toolStamp: null });
    expect(result.errors).toMatchObject([{ path: ['toolStamp'], extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(callsOf(shop)).toEqual(['tool#sharpen']);
  });

  it('aborts no write', async () => {
    const stamps = holdAnswers(TOOL);
    const shows = holdAnswers(TOOL);
    const options = { limits: { mutationTime: 500, queryTime: 1_000 } };
    const answers = { 'tool#stamp': stamps.handler, 'tool#show': shows.handler };
    await using shop = await openWorkshop(answers, options);
    const { url } = await shop.listen();
    const write = send(url, { query: 'mutation { toolStamp(id: 5) { tool { name } } }' }, headers);
    const held = await stamps.take(0);
    // A query that ends by its longer time, and so after the time of the mutation.
    await send(url, { query: '{ tool(id: 5) { name } }' }, headers);
    expect(held.isAbandoned).toBe(false);
    held.release();
    expect(await write).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } } });
  });
});

it('an operation of many calls causes no warning about listeners', async () => {
  const warnings: string[] = [];
  const record = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', record);
  shop.answer({ 'tool#show': () => TOOL });
  const fields = Array.from({ length: 30 }, (_, index) => `a${index}: tool(id: ${index}) { name }`);
  expect((await shop.ask(`{ ${fields.join('\n')} }`)).errors).toEqual([]);
  // Node reports warnings in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', record);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});
