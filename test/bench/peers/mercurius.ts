// A hand-written GraphQL server: fastify, mercurius, graphql-jit and dataloader.
import { fastify } from 'fastify';
import { mercurius } from 'mercurius';
import { schema } from './schema.ts';
import { openUpstream, TOKEN_HEADER } from './upstream.ts';

const server = fastify();
await server.register(mercurius, {
  schema,
  // Compiles an operation the second time that it is executed.
  jit: 1,
  context: (request) => openUpstream(String(request.headers[TOKEN_HEADER])),
});
console.log(`ready ${await server.listen({ host: '127.0.0.1', port: 0 })}/graphql`);
