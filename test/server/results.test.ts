// Tests that results are limited in size, over all transports.
import { describe, expect, it } from 'vitest';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { SUBSCRIBERS } from '../helpers/streams.ts';
import { type Handler, ok, refuse } from '../helpers/stub-upstream.ts';
import { post, STREAMS, TRANSPORTS } from '../helpers/transports.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const shop = shareWorkshop();

const headers = { 'x-library-token': 'one' };
const omitted = { omittedErrors: 50 };
const LONG = 'x'.repeat(1_000_000);
const MIB = 1_024 * 1_024;
const TOOL = { id: 5, name: LONG, weight: 1, owner: null };
const tooLarge = (limit: number) => [
  { extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: false, result: { limit } } },
];

const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

describe.each(TRANSPORTS)('a result over %s', (_name, send) => {
  it('that repeats a long text too often is an error', async () => {
    shop.answer({ 'tool#show': () => ok({ tool: TOOL }) });
    const query = (count: number) => ({ query: `{ tool(id: 5) { ${aliases(count, 'name')} } }` });
    const result = await send(shop.url, query(20), headers);
    expect(result).toMatchObject({ errors: tooLarge(16 * MIB) });
    expect(result).not.toHaveProperty('data');
    expect((await send(shop.url, query(2), headers)).data).toEqual({ tool: { a0: LONG, a1: LONG } });
  });

  it('of a write says that it was carried out', async () => {
    const handlers = { 'tool#stamp': () => ok({ tool: { ...TOOL, secret: '' } }) };
    await using shop = await openWorkshop(handlers, { limits: { resultSize: MIB } });
    const { url } = await shop.listen();
    const query = `mutation { toolStamp(id: 5) { tool { ${aliases(2, 'name')} } } }`;
    expect(await send(url, { query }, headers)).toMatchObject({
      errors: [{ ...tooLarge(MIB)[0], message: expect.stringContaining('its writes were carried out') }],
    });
  });
});

describe('a result with more than 100 errors has the first ones, and the number of the others', () => {
  const failing = () => ok({ tool: { ...TOOL, name: 'Saw', weight: 2 ** 60 } });

  it.each(TRANSPORTS)('over %s', async (_name, send) => {
    shop.answer({ 'tool#show': failing });
    const query = (count: number) => ({ query: `{ tool(id: 5) { ${aliases(count, 'weight')} } }` });
    const many = await send(shop.url, query(150), headers);
    expect(many.errors).toHaveLength(100);
    expect(many.errors?.at(-1)).toMatchObject({ path: ['tool', 'a99'] });
    expect(many.extensions).toMatchObject(omitted);
    const few = await send(shop.url, query(100), headers);
    expect(few.errors).toHaveLength(100);
    expect(few.extensions).not.toHaveProperty('omittedErrors');
  });

  it.each(STREAMS)('in its parts over %s', async (_name, sendAll) => {
    shop.answer({ 'tool#show': failing });
    const query = `{ tool(id: 5) { id ... @defer { ${aliases(150, 'weight')} } } }`;
    const [, part] = await sendAll(shop.url, { query }, headers);
    expect(part).toMatchObject({ incremental: [{ errors: { length: 100 } }], extensions: omitted });
  });
});

it('an error that makes the whole request fail comes first, however many others there are', async () => {
  const show: Handler = ({ path }) =>
    path[0] === '6' ? refuse('Token expired', null, 401) : ok({ tool: { ...TOOL, weight: 2 ** 60 } });
  shop.answer({ 'tool#show': show });
  const query = `{ tool(id: 5) { ${aliases(140, 'weight')} } other: tool(id: 6) { name } }`;
  const result = await shop.ask(query);
  expect(result.data).toBeNull();
  expect(result.errors).toHaveLength(100);
  expect(result.errors?.[0]).toMatchObject({ path: ['other'], extensions: { code: 'UNAUTHENTICATED' } });
  expect(result.extensions).toMatchObject({ omittedErrors: 41 });
});

it('a result that is too large does not say that a write was carried out that was not sent', async () => {
  await using shop = await openWorkshop({}, { limits: { resultSize: 1_000 } });
  const { url } = await shop.listen();
  await shop.ask('{ tool(id: 5) { name } }', { token: 'one' });
  await shop.upstream[Symbol.asyncDispose]();
  const query = `mutation { toolCreate(input: { name: "x" }) { query { ${aliases(300, '__typename')} } } toolStamp(id: 5) { tool { id } } }`;
  const response = await post(url, { query }, headers);
  const { errors } = (await response.json()) as { errors: readonly { message: string }[] };
  expect(errors).toMatchObject(tooLarge(1_000));
  expect(errors[0]?.message).not.toContain('carried out');
});

it.each(SUBSCRIBERS)('an event over %s is limited too', async (_name, subscribe) => {
  await using shop = await openWorkshop({}, { limits: { resultSize: MIB } });
  shop.actions.set({ id: 500, label: LONG });
  const { url } = await shop.listen();
  const query = `subscription { actionProgress(id: 500) { ${aliases(2, 'label')} } }`;
  await using stream = subscribe(url, query, headers);
  expect(await stream.next().catch((errors: unknown) => errors)).toMatchObject(tooLarge(MIB));
});
