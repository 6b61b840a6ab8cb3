// A hand-written GraphQL server: yoga, dataloader and undici.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createYoga } from 'graphql-yoga';
import { schema } from './schema.ts';
import { openUpstream, TOKEN_HEADER } from './upstream.ts';

const yoga = createYoga({
  schema,
  logging: false,
  context: ({ request }) => openUpstream(String(request.headers.get(TOKEN_HEADER))),
});
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
});
