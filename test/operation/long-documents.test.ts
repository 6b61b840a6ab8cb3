// Tests that others are served while a document that takes long is read.
import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { manyResources, refersTo, resource, show } from '../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../helpers/described.ts';
import { writeHostileDocuments } from '../helpers/hostile-documents.ts';

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
