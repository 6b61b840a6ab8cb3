// Tests GraphQL over WebSocket.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Observer } from '../../../src/observer.ts';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const shop = shareWorkshop();

const open = async (url: string, protocol = 'graphql-transport-ws') => {
  const socket = new WebSocket(url.replace('http', 'ws'), protocol);
  const closed = new Promise<readonly [code: number, reason: string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  );
  socket.on('error', () => undefined);
  return { socket, closed };
};

describe('a WebSocket', () => {
  it('with another subprotocol is refused', async () => {
    const { closed } = await open(shop.url, 'graphql-ws');
    expect((await closed)[0]).not.toBe(1000);
  });

  it('without a ConnectionInit message is closed', async () => {
    const { closed } = await open(shop.url);
    expect(await closed).toEqual([4408, expect.any(String)]);
  });

  it.each([
    ['no object', []],
    ['numbers', { 'X-Library-Token': 5 }],
  ])('with connectionParams that hold %s is closed with the reason', async (_name, payload) => {
    const { socket, closed } = await open(shop.url);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    const [code, reason] = await closed;
    expect(code).toBe(4400);
    expect(reason).not.toBe('');
  });

  it('that sends five hundred messages at once gets a response to each, and others are served in between', async () => {
    let begun = 0;
    let mostInTurn = 0;
    const observer: Observer = {
      operation() {
        if (begun === 0) setImmediate(() => (begun = 0));
        begun += 1;
        mostInTurn = Math.max(mostInTurn, begun);
        return () => undefined;
      },
    };
    await using shop = await openWorkshop({}, { observer });
    const { url } = await shop.listen();
    const { socket } = await open(url);
    await once(socket, 'open');
    let completed = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        if (type === 'connection_ack') {
          for (let id = 0; id < 500; id++) {
            socket.send(
              JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: '{ __typename }' } }),
            );
          }
        }
        if (type === 'complete' || type === 'error') completed += 1;
        if (completed === 500) resolve();
      });
    });
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await all;
    expect(mostInTurn).toBe(1);
    socket.terminate();
  });

  it('whose client has left begins no further operation', async () => {
    let begun = 0;
    const observer: Observer = {
      operation() {
        begun += 1;
        return () => undefined;
      },
    };
    await using shop = await openWorkshop({}, { observer });
    const { url } = await shop.listen();
    const { socket, closed } = await open(url);
    const [{ socket: connection }] = (await once(socket, 'upgrade')) as [{ readonly socket: Duplex }];
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await once(socket, 'message');
    // So few bytes that the server notices the end of the connection before it has read all messages.
    const sent = 100;
    for (let id = 0; id < sent; id++)
      socket.send(
        JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: '{ __typename }' } }),
      );
    connection.end();
    await closed;
    expect(begun).toBeLessThan(sent);
  });
});
