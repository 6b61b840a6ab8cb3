// Tests that the server follows the specification GraphQL over HTTP.
import { serverAudits } from 'graphql-http';
import { afterAll, describe, expect, test } from 'vitest';
import { startPair } from '../helpers/facade.ts';

/** All audits count: where the package says SHOULD or MAY, we must. */
describe('the server keeps to GraphQL over HTTP', async () => {
  const pair = await startPair();
  afterAll(() => pair[Symbol.asyncDispose]());

  const fetchFn = pair.facade.yoga.fetch.bind(pair.facade.yoga);
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
