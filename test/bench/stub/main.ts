// The management API of the benches: a process with precomputed answers, at one port without `includes` and at one with them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeBenchApi } from './description.ts';
import { readRows } from './rows.ts';

/** What the parent process sends: the latency of reads from now on, in milliseconds. Each message is answered by a `StubReport`. */
export interface StubOrder {
  readonly latency?: number;
}

/** Numbers of requests since the process started. */
export interface StubReport {
  readonly reads: number;
}

let latency = 0;
let reads = 0;

/** A success as a body, made once for each address. */
const bodies = new Map<string, Buffer>();

const envelope = (response: unknown, isFound = response !== null): Buffer =>
  Buffer.from(
    JSON.stringify({ status: isFound, response, message: isFound ? null : 'object not found', errors: null }),
  );

function bodyAt(address: string): Buffer {
  let body = bodies.get(address);
  if (body === undefined) {
    const { pathname, searchParams } = new URL(address, 'http://stub');
    body = envelope(readRows(pathname, searchParams));
    bodies.set(address, body);
  }
  return body;
}

function listen(offersIncludes: boolean): Promise<string> {
  const description = envelope(describeBenchApi(offersIncludes));
  const server = createServer((request, response) => {
    const isDescription = request.method === 'OPTIONS';
    const body = isDescription ? description : bodyAt(request.url ?? '/');
    if (!isDescription) reads += 1;
    const send = (): void => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    };
    if (latency === 0 || isDescription) send();
    else setTimeout(send, latency);
  });
  server.keepAliveTimeout = 600_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

process.on('message', (order: StubOrder) => {
  latency = order.latency ?? latency;
  process.send?.({ reads } satisfies StubReport);
});
const [plain, including] = await Promise.all([listen(false), listen(true)]);
console.log(`ready ${plain} ${including}`);
