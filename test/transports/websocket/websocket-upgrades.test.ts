// Tests the upgrade to a WebSocket.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { Processor } from '../../../src/scheduling/processor.ts';
import type { SocketApi } from '../../../src/transports/websocket/socket-transport.ts';
import { createUpgrade, ServedSocket } from '../../../src/transports/websocket/websocket-upgrades.ts';
import { SimulatedThread } from '../../helpers/simulated-thread.ts';

it('waits for the turn of its client', async () => {
  const thread = new SimulatedThread();
  const processor = new Processor({ clock: thread });
  const pipeline = { processor, findClient: () => ({ network: '192.0.2.1', key: 'anonymous' }) };
  const api = { pipeline, addressOf: () => '192.0.2.1' } as unknown as SocketApi;
  const sockets = new WebSocketServer({ noServer: true, WebSocket: ServedSocket });
  let opened = 0;
  const upgrade = createUpgrade(api, sockets, () => {
    opened += 1;
  });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upgrades = new Promise<void>((resolve) =>
    server.on('upgrade', (request, socket, head) => {
      // Somebody else has used the processor for long.
      void processor.enter({ network: '192.0.2.2', key: 'anonymous' }, 0);
      thread.time += 10;
      resolve(upgrade(request, socket, head));
      expect(processor.waiting).toBe(1);
    }),
  );
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(server, 'upgrade');
  expect(opened).toBe(0);
  const open = once(client, 'open');
  await thread.run(100);
  await Promise.all([open, upgrades]);
  expect(opened).toBe(1);
  client.terminate();
  server.close();
});
