// Tests that clients take turns when many requests arrive at once.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openWorkshop } from '../helpers/workshop.ts';

const BODY = JSON.stringify({ query: '{ session { authenticated } }' });
const requestOf = (address: string): string =>
  `POST /graphql HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

/** Connects and sends a request, without waiting for the connection. */
function send(url: string, address: string): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(requestOf(address));
  return socket;
}

it('answers a client before the burst of connections that another has opened', async () => {
  await using shop = await openWorkshop();
  const { url } = await shop.listen();
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY });
  const burst = Array.from({ length: 200 }, () => send(url, '203.0.113.1'));
  let answered = 0;
  for (const socket of burst) socket.once('data', () => (answered += 1));
  const other = send(url, '203.0.113.2');
  await once(other, 'data');
  expect(answered).toBeLessThan(20);
  await expect.poll(() => answered, { timeout: 10_000 }).toBe(200);
  for (const socket of [...burst, other]) socket.destroy();
});
