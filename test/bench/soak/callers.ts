// Callers who read: nested queries, walks through lists, and introspection.
import { getIntrospectionQuery } from 'graphql';
import { type Client, chance, type Load, pick, randomInt } from './load.ts';

const NESTED = [
  `{ datasets(first: 15) { nodes { id name used user { login fullName } environment { label description }
    parent { name parent { name } } snapshots(first: 5) { nodes { id label createdAt } } } totalCount } }`,
  '{ users(first: 10) { nodes { id login fullName } totalCount } environments { nodes { id label } } }',
  `{ dnsZones(first: 12) { nodes { id name user { login }
    records(first: 10) { nodes { id name type content dnsZone { name } } } } } }`,
  '{ vpses(first: 10) { nodes { id } } userCurrent { id login } session { authenticated method expiresAt } }',
  '{ datasets(first: 3) { nodes { propertyHistories(first: 30) { nodes { id name value createdAt } totalCount } } } }',
  `query { a: datasets(first: 5) { ...Facts } b: datasets(first: 5, filter: { toDepth: 1 }) { ...Facts } }
   fragment Facts on DatasetConnection { edges { cursor node { id name user { login } } } pageInfo { hasNextPage } }`,
];

const WALKS = ['datasets', 'dnsRecords', 'dnsZones', 'users'];

/** Reads in all ways until the load ends. */
export function runCaller(load: Load, client: Client): Promise<void> {
  const { role } = client;
  return load.repeat(
    role,
    () => randomInt(100, 400),
    async () => {
      const startedAt = Date.now();
      if (chance(0.05)) return walk(load, client, pick(WALKS));
      const query = chance(0.03) ? getIntrospectionQuery() : pick(NESTED);
      const { data, errors } = await load.ask(client, query);
      load.count(role, 'operations');
      load.noteErrors(role, errors, startedAt);
      if (errors.length === 0 && data === null) load.noteUnexplained(role, 'no data', query);
    },
  );
}

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Walks a list to its end and checks that it has each row once. */
async function walk(load: Load, client: Client, list: string): Promise<void> {
  const { role } = client;
  const query = `query ($after: String) { page: ${list}(first: 60, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
  const seen = new Set<string>();
  for (let after: string | null = null; !load.signal.aborted; ) {
    const startedAt = Date.now();
    const { data, errors } = await load.ask(client, query, { after });
    load.noteErrors(role, errors, startedAt);
    const page = data?.['page'] as Page | null | undefined;
    // A client walks on from the same cursor when the fault has passed; this one begins again later.
    if (page === null || page === undefined) return load.count(role, 'walks cut by a fault');
    for (const { id } of page.nodes) {
      if (seen.has(id)) load.noteUnexplained(role, 'row twice', `${id} in a walk through ${list}`);
      seen.add(id);
    }
    if (!page.pageInfo.hasNextPage) return load.count(role, 'walks');
    after = page.pageInfo.endCursor;
  }
}
