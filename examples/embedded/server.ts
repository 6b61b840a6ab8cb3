// A server with the GraphQL API in it, and with two fields that the management API does not have.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOptiongraph } from 'optiongraph';

const PRICE_OF_GIBIBYTE = 0.05;

/** What space costs in a month. The API counts in mebibytes. */
const priceOf = (used: unknown): number => (typeof used === 'number' ? (used / 1024) * PRICE_OF_GIBIBYTE : 0);

const optiongraph = await createOptiongraph({
  upstream: process.env['UPSTREAM_URL'] ?? 'http://127.0.0.1:8080/',
  extendSchema: {
    typeDefs: `
      extend type Dataset {
        "What the dataset costs in a month."
        price: Float!
      }
      extend type Query {
        "What the caller's datasets cost in a month."
        price: Float!
      }
    `,
    resolvers: {
      Dataset: {
        // `api` calls the management API with the caller's credential.
        price: async (dataset, _args, { api }) => {
          const used = dataset.value('used');
          if (used !== null) return priceOf(used);
          // Objects that refer to a dataset hold only its id and label.
          const [row] = await api.readList('dataset#show', { path: [String(dataset.rawId)] });
          return priceOf(row?.['used']);
        },
      },
      Query: {
        price: async (_root, _args, { api }) => {
          const rows = await api.readList('dataset#index', { input: { limit: 1000 } });
          return rows.reduce((sum, row) => sum + priceOf(row['used']), 0);
        },
      },
    },
  },
});

const server = createServer(optiongraph.handler);
optiongraph.attachWebSocket(server);
server.listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}${optiongraph.endpoint}`);

process.once('SIGTERM', async () => {
  await optiongraph.dispose();
  server.close();
});
