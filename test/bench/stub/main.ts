// The management API of the benches: a process with precomputed answers, at one port without `includes` and at one with them.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ActionStates } from './action-states.ts';
import { describeBenchApi, TOKEN_HEADER } from './description.ts';
import type { StubOrder, StubReport } from './orders.ts';
import { readRows } from './rows.ts';

let latency = 0;
let reads = 0;
let states: ActionStates | null = null;
let wideDescription: Buffer | null = null;

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

const tokenOf = ({ headers }: IncomingMessage): string => String(headers[TOKEN_HEADER] ?? '');

function answerStates(running: ActionStates, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
  const [, , id, way] = pathname.split('/');
  const caller = Number(tokenOf(request).replace('caller-', ''));
  const sendState = (): void => send(response, envelope(running.show(Number(id))));
  if (id === undefined) send(response, envelope(running.list(caller, searchParams)));
  else if (way === 'poll') running.poll(Number(id), searchParams, sendState);
  else sendState();
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const address = request.url ?? '/';
  reads += 1;
  if (states !== null && address.startsWith('/action_states')) answerStates(states, request, response);
  else if (latency === 0) send(response, bodyAt(address));
  else setTimeout(() => send(response, bodyAt(address)), latency);
}

function listen(offersIncludes: boolean): Promise<string> {
  const description = envelope(describeBenchApi(offersIncludes));
  const server = createServer((request, response) => {
    if (request.method !== 'OPTIONS') {
      answer(request, response);
      return;
    }
    send(response, tokenOf(request).startsWith('wide') ? (wideDescription ?? description) : description);
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
  if (order.states !== undefined) states = new ActionStates(order.states);
  if (order.endsStates === true) states?.end();
  if (order.wideDescription !== undefined) wideDescription = readFileSync(order.wideDescription);
  const progress = states?.progress ?? { changes: 0, at: Date.now() };
  process.send?.({ reads, ...progress } satisfies StubReport);
});
const [plain, including] = await Promise.all([listen(false), listen(true)]);
console.log(`ready ${plain} ${including}`);
