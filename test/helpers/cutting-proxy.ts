// A proxy between a client and a server that cuts the connection after some bytes, or when a test says so.
import { connect, createServer, type Socket } from 'node:net';

/** The direction of bytes: `up` is from the client to the server. */
export type Direction = 'up' | 'down';

/** The proxy. It is for one client at a time. */
export interface CuttingProxy extends AsyncDisposable {
  readonly origin: string;
  /** Bytes that have passed since the last plan. */
  readonly passed: Readonly<Record<Direction, number>>;
  /** Passes this many bytes in a direction, and then cuts the connection; null: passes all. */
  plan(cut: { readonly direction: Direction; readonly bytes: number } | null): void;
  /** Cuts the connection now. */
  cut(): void;
}

/** Starts a proxy before a server of this machine, on a free port. */
export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let passed = { up: 0, down: 0 };
  let left = { up: Number.POSITIVE_INFINITY, down: Number.POSITIVE_INFINITY };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const pass = (from: Socket, to: Socket, direction: Direction): void => {
    from.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, left[direction]);
      passed[direction] += part.length;
      left[direction] -= part.length;
      if (left[direction] > 0) to.write(part);
      else to.write(part, cut);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pass(client, upstream, 'up');
    pass(upstream, client, 'down');
    if (left.up === 0) cut();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('expected a port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    get passed() {
      return passed;
    },
    plan(given) {
      passed = { up: 0, down: 0 };
      left = { up: Number.POSITIVE_INFINITY, down: Number.POSITIVE_INFINITY };
      if (given !== null) left[given.direction] = given.bytes;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
