// Tests that large results wait until the client of a WebSocket has read the ones before.
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { DEFAULT_LIMITS } from '../../../src/operation/limits.ts';
import { SocketLimits } from '../../../src/transports/websocket/socket-limits.ts';

const MIB = 1_024 * 1_024;

/** A WebSocket whose client reads when it is told to. */
function openSocket() {
  const stream = Object.assign(new EventEmitter(), {});
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    pause: () => undefined,
    resume: () => undefined,
  });
  const limits = new SocketLimits(
    socket as unknown as WebSocket,
    stream as unknown as Duplex,
    DEFAULT_LIMITS.transport,
  );
  // Ends the timers of its limits.
  onTestFinished(() => void socket.emit('close'));
  const written: number[] = [];
  const done = Array.from({ length: 3 }, (_, index) =>
    limits.writeInOrder(async () => {
      written.push(index);
      socket.bufferedAmount += 2 * MIB;
    }),
  );
  return { socket, stream, written, done };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('a large result of a WebSocket', () => {
  it('is written when the one before is read', async () => {
    const { socket, stream, written, done } = openSocket();
    for (const expected of [[0], [0, 1], [0, 1, 2]]) {
      await settle();
      expect(written).toEqual(expected);
      socket.bufferedAmount = 0;
      stream.emit('drain');
    }
    await Promise.all(done);
  });

  it('does not wait for a client that has left', async () => {
    const { socket, written, done } = openSocket();
    await settle();
    socket.readyState = 3;
    socket.emit('close');
    await Promise.all(done);
    expect(written).toEqual([0, 1, 2]);
  });
});
