// Tests that the server follows the specification GraphQL over HTTP, and the order of fields.
import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { sharePair } from '../helpers/shared-pair.ts';

const pair = sharePair();

/** All audits count: where the package says SHOULD or MAY, we must. */
describe('the server keeps to GraphQL over HTTP', () => {
  const fetchFn = ((...given) => pair.facade.yoga.fetch(...given)) as typeof fetch;
  for (const audit of serverAudits({ url: 'http://facade.test/graphql', fetchFn })) {
    test(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn();
      if (result.status !== 'ok') {
        const { status, headers } = result.response;
        expect.fail(`${result.reason} (status ${status}, ${headers.get('content-type')})`);
      }
    });
  }
});

test('a result has its fields in the order of the selection', async () => {
  const selection =
    '{ dataset(id: 12) { snapshots(first: 1) { nodes { id } pageInfo { hasNextPage } } user { login } id } first: session { method } }';
  const { data } = await pair.ask<{ dataset: { snapshots: object } }>(selection);
  expect(Object.keys(data ?? {})).toEqual(['dataset', 'first']);
  expect(Object.keys(data?.dataset ?? {})).toEqual(['snapshots', 'user', 'id']);
  expect(Object.keys(data?.dataset.snapshots ?? {})).toEqual(['nodes', 'pageInfo']);
});
