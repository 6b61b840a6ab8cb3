// Tests that a client that breaks the protocol of WebSockets is disconnected and counted, and is no error of the server.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';

const telemetry = openTelemetry();
const shop = shareWorkshop({}, telemetry.options);

/** Sends something to the server on a WebSocket. @param isInit Whether the server has acknowledged the connection before. */
async function send(bytes: string | Buffer, isInit: boolean): Promise<{ readonly code: number }> {
  const socket = new WebSocket(shop.url.replace('http', 'ws'), 'graphql-transport-ws');
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const upgraded = once(socket, 'upgrade');
  await once(socket, 'open');
  const [{ socket: connection }] = (await upgraded) as [{ readonly socket: Duplex }];
  if (isInit) {
    socket.send('{"type":"connection_init","payload":{"x-library-token":"one"}}');
    await once(socket, 'message');
  }
  if (typeof bytes === 'string') socket.send(bytes);
  else connection.write(bytes);
  return { code: await closed };
}

/** A frame that is masked with zeros. */
const frame = (first: number, payload: readonly number[]): Buffer =>
  Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0, ...payload]);
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const BROKEN: readonly (readonly [name: string, sent: string | Buffer, code: number])[] = [
  ['a text that is no JSON', 'hello', 4400],
  ['JSON that is no message', '5', 4400],
  ['JSON with too many levels', '['.repeat(700), 4400],
  ['JSON with too many values', `[${','.repeat(41_000)}1]`, 4400],
  ['a message of an unknown type', '{"type":"steal"}', 4400],
  ['a message without its parts', '{"type":"subscribe","payload":{}}', 4400],
  ['a message of a server', '{"type":"next","id":"1","payload":{}}', 4400],
  ['another message of a server', '{"type":"connection_ack"}', 4400],
  ['a payload that is nested deeply', `{"type":"ping","payload":{"a":${nested(30_000)}}}`, 4400],
  ['a text that is no UTF-8', frame(0x81, [0xff, 0xfe]), 1007],
  ['a frame without a mask', Buffer.from([0x81, 0x02, 0x41, 0x41]), 1002],
  ['a frame with reserved bits', frame(0xf1, [0x41]), 1002],
  ['a frame of an unknown kind', frame(0x83, [0x41]), 1002],
  ['a part of no message', frame(0x80, [0x41]), 1002],
  ['a close frame with an impossible code', frame(0x88, [0, 1]), 1002],
  ['a frame that announces 2^63 bytes', Buffer.from([0x81, 0xff, 0x80, ...Array(11).fill(0)]), 1009],
];
const BROKEN_LATER: typeof BROKEN = [
  ['a second connection_init', '{"type":"connection_init"}', 4429],
  ['a message above the limit', 'x'.repeat(1_000_001), 1009],
];

describe.each([
  ['before the acknowledgement', false, BROKEN],
  ['after the acknowledgement', true, [...BROKEN, ...BROKEN_LATER]],
] as const)('%s', (_when, isInit, broken) => {
  it.each(broken)('%s closes the WebSocket', async (_name, sent, code) => {
    // Ws reads no answer to its close frame after a malformed frame.
    const counted = code < 4000 ? 1006 : code;
    const series = `optiongraph_socket_closes_total{code="${counted}"}`;
    const before = (await telemetry.values())[series] ?? 0;
    expect((await send(sent, isInit)).code).toBe(code);
    await expect.poll(async () => (await telemetry.values())[series]).toBe(before + 1);
  });
});

it('is never logged as an error or a warning', () => {
  expect(telemetry.allLines.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});

it('a close code that only the client knows is counted as another', async () => {
  await send(frame(0x88, [4242 >> 8, 4242 & 0xff]), true);
  await expect
    .poll(() => telemetry.values())
    .toMatchObject({ 'optiongraph_socket_closes_total{code="other"}': 1 });
});
