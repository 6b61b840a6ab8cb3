// Tests that others are served while a document that takes long is read.
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Observer } from '../../src/telemetry/observer.ts';
import { manyResources, refersTo, resource, show } from '../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../helpers/described.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { writeHostileDocuments } from '../helpers/hostile-documents.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const D = { id: 'Integer', name: 'String', parent: refersTo(['d'], 'name') } as const;

/** Sends a document that is refused, and counts the answers that another client gets meanwhile. */
async function refuse(at: DescribedApi, query: string) {
  // Both clients are known.
  for (const token of ['one', 'two']) await at.ask('{ __typename }', { token });
  let isRefused = false;
  const refused = at.ask(query).finally(() => {
    isRefused = true;
  });
  let answers = 0;
  for (; !isRefused; answers += 1) await at.ask('{ __typename }', { token: 'two' });
  const [error] = (await refused).errors;
  return { answers, code: error?.extensions['code'] };
}

const hostile = writeHostileDocuments({ root: 'd(id: 1)', type: 'D', self: 'parent', leaf: 'name' });

it.each([
  ['one object again and again', []],
  ['fragments with many fields', [{ onParse: () => undefined, onValidate: () => undefined }]],
  ['objects in conflict', []],
] as const)('while a document with %s is validated', async (what, plugins) => {
  const options = { plugins };
  await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, {}, options);
  const { answers, code } = await refuse(at, hostile[what] ?? '');
  expect(code).toBe('BAD_USER_INPUT');
  expect(answers).toBeGreaterThan(20);
});

it('while the cost of introspection is estimated', async () => {
  await using at = await openDescribed(manyResources(100));
  const schema = getIntrospectionQuery()
    .replace(/^.*?{/s, '')
    .replace(/}\s*fragment.*$/s, '');
  const [, fragments] = getIntrospectionQuery().split(/(?=fragment FullType)/);
  const query = `{ ${Array.from({ length: 10 }, (_, index) => `s${index}: ${schema}`).join(' ')} } ${fragments}`;
  const { answers, code } = await refuse(at, query);
  expect(code).toBe('COST_LIMIT_EXCEEDED');
  expect(answers).toBeGreaterThan(20);
});

/** A long document that is unlike the others. */
const longDocument = (index: number, body: string): string =>
  `query Q${index} { ${body} } # ${'x'.repeat(10_000)}`;

describe('long documents', () => {
  it('are read a few at a time, and others are answered meanwhile', async () => {
    let reading = 0;
    let most = 0;
    const observer: Observer = {
      operation: () => () => undefined,
      step({ step }) {
        if (step === 'parse') {
          reading += 1;
          most = Math.max(most, reading);
        }
        return () => {
          if (step === 'validate') reading -= 1;
        };
      },
    };
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, {}, { observer });
    await at.ask('{ __typename }', { token: 'two' });
    const sent = Array.from({ length: 24 }, (_, index) =>
      at.ask(longDocument(index, `d(id: 1) { ${'parent { name } '.repeat(300)} unknown }`)),
    );
    let ended = 0;
    for (const one of sent) void one.then(() => (ended += 1));
    for (let answers = 0; answers < 20; answers += 1) await at.ask('{ __typename }', { token: 'two' });
    expect(ended).toBeLessThan(sent.length);
    for (const { errors } of await Promise.all(sent))
      expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    // One of them is short.
    expect(most).toBeLessThanOrEqual(17);
  });

  it('take memory while their operations wait for the API, and are refused where there is none', async () => {
    const row = ok({ d: { id: 1, name: 'a' } });
    const held = holdAnswers(row);
    const limits = { upstream: { memory: 4_000_000 } };
    const api = { d: resource({ show: show('d', 'ds', D) }) };
    await using at = await openDescribed(api, { 'd#show': held.handler }, { limits });
    const sent = Array.from({ length: 6 }, (_, index) => at.ask(longDocument(index, 'd(id: 1) { name }')));
    const refused = await Promise.race(sent);
    expect(refused.errors[0]?.extensions).toMatchObject({ code: 'SERVER_BUSY' });
    const read = await held.take(0);
    at.upstream.handlers.set('d#show', () => row);
    read.release();
    const codes = (await Promise.all(sent)).map(({ errors }) => errors[0]?.extensions['code']);
    expect(new Set(codes)).toEqual(new Set([undefined, 'SERVER_BUSY']));
    expect((await at.ask(longDocument(99, 'd(id: 1) { name }'))).errors).toEqual([]);
  });

  it('hold no memory for operations that are not executed', async () => {
    const limits = { upstream: { memory: 4_000_000 } };
    const row = { id: 5, name: 'stamped', weight: 1, owner: null, secret: 's' };
    await using shop = await openWorkshop({ 'tool#stamp': () => ok({ tool: row }) }, { limits });
    const stamp = (index: number) =>
      shop.ask(`mutation M${index} { toolStamp(id: 5) { tool { id } } } # ${'x'.repeat(10_000)}`, {
        headers: { 'idempotency-key': 'one' },
      });
    expect((await stamp(0)).errors).toEqual([]);
    for (let index = 1; index < 8; index += 1)
      expect((await stamp(index)).errors[0]?.extensions).toMatchObject({ code: 'CONFLICT' });
    expect((await shop.ask(`{ __typename } # ${'y'.repeat(10_000)}`)).errors).toEqual([]);
  });
});
