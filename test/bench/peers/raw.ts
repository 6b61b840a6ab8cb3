// The limit: the same answers by node:http and undici, without GraphQL. It knows each operation by its name.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openUpstream, TOKEN_HEADER, type Upstream, type UpstreamRow } from './upstream.ts';

interface Body {
  readonly operationName: string;
  readonly variables?: { readonly id: string };
}

const idOf = ({ id }: UpstreamRow): string => `dataset/${id}`;
const userLabel = (row: UpstreamRow) => ({ label: (row['user'] as UpstreamRow)['login'] });

/** The data of each operation in `test/bench/requests/queries.ts`. */
const operations: Readonly<Record<string, (upstream: Upstream, id: number) => Promise<object>>> = {
  async Q1({ datasets }, id) {
    const row = await datasets.load(id);
    const { name, used, quota, compression, created_at: createdAt } = row;
    return { dataset: { id: idOf(row), name, used, quota, compression, createdAt, user: userLabel(row) } };
  },
  async Q2({ listDatasets }) {
    const rows = await listDatasets(100, 0);
    return {
      datasets: {
        nodes: rows.map((row) => ({
          id: idOf(row),
          name: row['name'],
          used: row['used'],
          user: userLabel(row),
        })),
      },
    };
  },
  async Q3({ listDatasets, listSnapshots, users }) {
    const rows = await listDatasets(50, 0);
    const readNode = async (row: UpstreamRow) => {
      const [user, snapshots] = await Promise.all([
        users.load((row['user'] as UpstreamRow).id),
        listSnapshots(row.id, 10),
      ]);
      return {
        id: idOf(row),
        name: row['name'],
        user: { label: user['login'], fullName: user['full_name'], level: user['level'] },
        environment: { label: (row['environment'] as UpstreamRow)['label'] },
        snapshots: {
          nodes: snapshots.map(({ id, name, created_at: createdAt }) => ({
            id: `${idOf(row)}/snapshot/${id}`,
            name,
            createdAt,
          })),
        },
      };
    };
    return { datasets: { nodes: await Promise.all(rows.map(readNode)) } };
  },
  async Q4({ datasets }, id) {
    const read = async (rowId: number, parents: number): Promise<object> => {
      const row = await datasets.load(rowId);
      const own = { id: idOf(row), name: row['name'], used: row['used'] };
      if (parents === 0) return own;
      return { ...own, parent: await read((row['parent'] as UpstreamRow).id, parents - 1) };
    };
    return { dataset: await read(id, 3) };
  },
};

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

const server = createServer(async (request, response) => {
  try {
    const { operationName, variables } = await readBody(request);
    const upstream = openUpstream(String(request.headers[TOKEN_HEADER]));
    const data = await operations[operationName]?.(upstream, Number(variables?.id));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
});
