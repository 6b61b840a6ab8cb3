// The management API of the benches: a process with precomputed answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeBenchApi } from './description.ts';
import type { StubOrder, StubReport } from './orders.ts';
import { readRows } from './rows.ts';

let latency = 0;
let reads = 0;

/** Bodies of reads, each made once for its address. */
const bodies = new Map<string, Buffer>();

/** The envelope of a success; of a failure where nothing was found. */
function envelope(response: object | null): Buffer {
  const message = response === null ? 'object not found' : null;
  return Buffer.from(JSON.stringify({ status: response !== null, response, message, errors: null }));
}

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function bodyAt(address: string): Buffer {
  let body = bodies.get(address);
  if (body === undefined) {
    const { pathname, searchParams } = new URL(address, 'http://stub');
    body = envelope(readRows(pathname, searchParams));
    bodies.set(address, body);
  }
  return body;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const address = request.url ?? '/';
  reads += 1;
  if (latency === 0) send(response, bodyAt(address));
  else setTimeout(() => send(response, bodyAt(address)), latency);
}

const description = envelope(describeBenchApi());
const server = createServer((request, response) => {
  if (request.method === 'OPTIONS') send(response, description);
  else answer(request, response);
});
server.keepAliveTimeout = 600_000;
process.on('message', (order: StubOrder) => {
  latency = order.latency ?? latency;
  process.send?.({ reads } satisfies StubReport);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
