// Tests that the proxy of `deploy` limits the new connections of one address, while another address is served.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startPair } from '../helpers/facade.ts';
import { hasProxy, startProxy } from '../helpers/proxy.ts';

const FLOODING = '127.0.0.2';
const OTHER = '127.0.0.3';
/** New connections a second, and the seconds. */
const RATE = 150;
const SECONDS = 6;

/** Asks over a new connection from an address, and returns the status. */
const ask = (url: string, localAddress: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/livez`, { localAddress, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject).end();
  });

it.skipIf(!hasProxy)(
  'closes the connections of an address that opens 150 a second, and serves another',
  async () => {
    await using pair = await startPair();
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    await using proxy = await startProxy([Number(new URL(server.url).port)]);
    const { port } = new URL(proxy.url);
    const open = new Set<Socket>();
    let closed = 0;
    const flood = (): void => {
      const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: FLOODING });
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        closed += 1;
      });
    };
    const statuses: (number | undefined)[] = [];
    for (let second = 0; second < SECONDS; second += 1) {
      for (let index = 0; index < RATE; index += 1) flood();
      statuses.push(await ask(proxy.url, OTHER));
      await sleep(1_000);
    }
    expect(statuses).toEqual(Array(SECONDS).fill(200));
    expect(closed).toBeGreaterThanOrEqual(RATE);
    await expect(ask(proxy.url, FLOODING)).rejects.toThrow();
    for (const socket of open) socket.destroy();
  },
);
