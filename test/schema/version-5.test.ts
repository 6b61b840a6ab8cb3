// Tests the schema of version 5.0 of the sandbox.
import { type GraphQLSchema, getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { originOf } from '../../src/index.ts';
import { type OperationResult, type Pair, startPair } from '../helpers/facade.ts';

const five = (sandbox = {}) => startPair({ facade: { version: '5.0' }, sandbox: { step: 0, ...sandbox } });

/** The names of fields by their types and what they stand for. A leaf and an edge may stand for one parameter. */
const namesIn = (schema: GraphQLSchema): ReadonlyMap<string, string> =>
  new Map(
    Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
      .filter(({ field }) => originOf(field) !== null)
      .map(({ type, field }) => [
        `${type.name} ${originOf(field)} ${isLeafType(getNamedType(field.type))}`,
        field.name,
      ]),
  );

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
}

/** Walks a list below a dataset to its end. */
async function walk(pair: Pair, list: string, first: number, dataset: number) {
  const ids: string[] = [];
  let after: string | null = null;
  for (;;) {
    const page = `page: ${list}(first: ${first}, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } totalCount }`;
    const query = `query ($after: String) { dataset(id: ${dataset}) { ${page} } }`;
    const answer: OperationResult<{ readonly dataset: { readonly page: Page } }> = await pair.ask(query, {
      variables: { after },
    });
    expect(answer.errors).toEqual([]);
    const { nodes = [], pageInfo, totalCount } = answer.data?.dataset.page ?? {};
    ids.push(...nodes.map(({ id }) => id));
    after = pageInfo?.endCursor ?? null;
    if (pageInfo?.hasNextPage !== true) return { ids, total: totalCount ?? -1 };
  }
}

let pair: Pair;
beforeAll(async () => {
  pair = await five();
});
beforeEach(() => {
  pair.calls.length = 0;
});
afterAll(() => pair[Symbol.asyncDispose]());

describe('version 5.0 as GraphQL', () => {
  it.each([
    ['snapshots', 3],
    ['propertyHistories', 50],
  ])('walks %s below a dataset by offset, %i a page, every row once', async (list, first) => {
    // With a limit of its own, the API shows no list at once.
    await using pair = await five({ clampedLimit: 5 });
    const { ids, total } = await walk(pair, list, first, 111);
    expect(total).toBeGreaterThan(first);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(total);
    const paged = pair.calls.filter(({ path }) => path.startsWith('/v5.0/datasets/111/'));
    expect(paged.some(({ query }) => query.includes('from_id'))).toBe(false);
    expect(paged.some(({ query }) => query.includes('offset'))).toBe(true);
  });

  it('has the names of version 7.0 for all that both describe', async () => {
    await using old = await five();
    await using now = await startPair();
    const [before, after] = [old.facade.schema.schema, now.facade.schema.schema];
    // Rows of version 5.0 do not name their VPS, so that the list is not the reverse of `Vps.dataset`.
    const later = namesIn(after);
    const renamed = [...namesIn(before)].filter(([key, name]) => (later.get(key) ?? name) !== name);
    expect(renamed.map(([, name]) => name)).toEqual(['datasetsByVps']);
    expect(before.getType('DatasetSnapshot')).toBeDefined();
  });

  it('updates a record with the secret in its URL, which contains the version', async () => {
    const created = await pair.ask<{ dnsRecordCreate: { dnsRecord: { dynamicUpdateUrl: string } } }>(
      `mutation { dnsRecordCreate(input: { dnsZone: 1, name: "home", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }, wait: 5) {
        dnsRecord { dynamicUpdateUrl } userErrors { message }
      } }`,
    );
    const url = new URL(created.data?.dnsRecordCreate.dnsRecord.dynamicUpdateUrl ?? '');
    const accessToken = url.pathname.split('/').at(-1);
    const { data, errors } = await pair.ask(
      'mutation ($accessToken: String!) { dnsRecordDynamicUpdate(accessToken: $accessToken) { dnsRecord: result { content } userErrors { message } } }',
      { variables: { accessToken } },
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      dnsRecordDynamicUpdate: { dnsRecord: { content: '127.0.0.1' }, userErrors: [] },
    });
    expect(url.pathname).toMatch(/^\/v5\.0\/dns_records\/dynamic_update\//);
    expect(pair.calls.some(({ path }) => path === url.pathname)).toBe(true);
  });
});
