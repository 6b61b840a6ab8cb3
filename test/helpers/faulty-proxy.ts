// A proxy between the facade and a management API that damages answers on their way, byte by byte.
import { once } from 'node:events';
import { Agent, request as sendRequest } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** An answer of the API, before it is damaged. */
export interface SoundAnswer {
  readonly status: number;
  readonly body: string;
}

/** One request under way in the proxy. */
export interface Exchange {
  /** The facade's connection. */
  readonly socket: Socket;
  /** Passes the request on, and returns the answer. */
  forward(): Promise<SoundAnswer>;
  /** Writes to the facade, and records the text as sent by the API. */
  write(data: string | Buffer): void;
}

/** Answers one request, well or badly. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

/** Chooses the fault of the request with this method; null: the request is answered well. */
export type Plan = (method: string) => Fault | null;

/** A proxy that does what its plan says. */
export interface FaultyProxy extends AsyncDisposable {
  readonly url: URL;
  /** Everything that was written to the facade since the plan was set. */
  readonly sent: readonly string[];
  /** Requests that got a fault since the plan was set. */
  readonly injected: number;
  /** Sets the plan. */
  follow(plan: Plan): void;
  /** Stops or begins to listen; without a listener, connections are refused. */
  listen(on: boolean): Promise<void>;
  /** Resolves when the facade has no connection. */
  untilIdle(): Promise<void>;
}

/** Formats an answer as HTTP. */
export function formatAnswer({ status, body }: SoundAnswer, headers: readonly string[] = []): string {
  const own = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `HTTP/1.1 ${status} Fine\r\n${own.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}

/** Starts a proxy before an API, on a free port. */
export async function startFaultyProxy(upstream: URL): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  let plan: Plan = () => null;
  let injected = 0;
  let sent: string[] = [];

  const answer = async (socket: Socket, request: RawRequest): Promise<void> => {
    const fault = plan(request.method);
    const write = (data: string | Buffer): void => {
      sent.push(data.toString());
      if (socket.writable) socket.write(data);
    };
    const exchange = { socket, write, forward: () => forward(upstream, agent, request) };
    if (fault === null) return write(formatAnswer(await exchange.forward()));
    injected += 1;
    await fault(exchange);
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    readRequests(socket, (request) => void answer(socket, request).catch(() => socket.destroy()));
  });
  const port = await listenOn(server, 0);
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    get sent() {
      return sent;
    },
    get injected() {
      return injected;
    },
    follow(next) {
      plan = next;
      injected = 0;
      sent = [];
    },
    async listen(on) {
      if (on) await listenOn(server, port);
      else await stop();
    },
    async untilIdle() {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      if (server.listening) await stop();
    },
  };
}

interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

async function listenOn(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Reads the requests of a connection. The facade sends bodies with their length only. */
function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first = '', ...lines] = buffer.subarray(0, end).toString('latin1').split('\r\n');
      const headers = lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
      const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
      const next = end + 4 + length;
      if (buffer.length < next) return;
      const [method = '', target = ''] = first.split(' ');
      const body = Buffer.from(buffer.subarray(end + 4, next));
      buffer = buffer.subarray(next);
      onRequest({ method, target, headers, body });
    }
  });
}

function forward(upstream: URL, agent: Agent, request: RawRequest): Promise<SoundAnswer> {
  const { method, target, body } = request;
  const headers = Object.fromEntries(
    request.headers.filter(([name]) => name !== 'host' && name !== 'connection'),
  );
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest(
      { host: upstream.hostname, port: upstream.port, method, path: target, headers, agent },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
