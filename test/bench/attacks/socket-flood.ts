// Sends many operations over one WebSocket at once, and counts what becomes of each.
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { onOperationMessage, openSocket, subscribeMessage } from './bench-socket.ts';
import { documentsOf } from './documents.ts';
import type { SocketFlood, Target } from './orders.ts';
import type { Tally } from './tally.ts';

/** When floods end. Times in milliseconds of `performance.now()`. */
export interface FloodEnd {
  /** Nothing more is sent after this time. */
  readonly sendUntil: number;
  /** Nothing is waited for after this time. */
  readonly waitUntil: number;
}

/** Longest time between two looks at the clock. Milliseconds. */
const STEP = 100;

/** Sends a flood until its end, and resolves when nothing is due any more. @param first The number of its first document. */
export async function floodSocket(
  target: Target,
  flood: SocketFlood,
  first: number,
  { sendUntil, waitUntil }: FloodEnd,
  tally: Tally,
): Promise<void> {
  const nextDocument = documentsOf(flood.what, first);
  const nextName = documentsOf('name', first);
  const due = new Set<string>();
  let onChange = (): void => undefined;
  let messages = 0;
  const socket = await openSocket(target, flood);
  onOperationMessage(socket, ({ type, id, data }) => {
    tally.bytes += data.length;
    if (!due.has(id)) return;
    if (type === 'next' || type === 'error') {
      tally.answer(data);
      due.delete(id);
      if (due.size === 0) onChange();
    }
  });
  socket.once('close', (code) => {
    if (due.size > 0) tally.refuse(`closed ${code}`, due.size);
    due.clear();
    onChange();
  });
  const send = (query: string): string => {
    const id = String(messages++);
    socket.send(subscribeMessage(id, query));
    tally.sent += 1;
    return id;
  };
  try {
    do {
      if (flood.isUnread === true) socket.pause();
      for (let left = flood.operations; left > 0 && socket.readyState === WebSocket.OPEN; left -= 1) {
        const id = send(nextDocument());
        if (flood.completes === true) {
          socket.send(`{"id":"${id}","type":"complete"}`);
          tally.leave(1);
        } else {
          due.add(id);
        }
      }
      // The answer to the last one shows that all before it have been handled.
      if (flood.completes === true) due.add(send(nextName()));
      if (flood.isUnread === true) await pause(Math.max(0, sendUntil - performance.now()));
      socket.resume();
      while (due.size > 0 && performance.now() < waitUntil) {
        const changed = new Promise<void>((resolve) => {
          onChange = resolve;
        });
        await Promise.race([changed, pause(STEP)]);
      }
    } while (
      flood.repeats === true &&
      due.size === 0 &&
      socket.readyState === WebSocket.OPEN &&
      performance.now() < sendUntil
    );
  } finally {
    // What is due now has no answer.
    due.clear();
    socket.terminate();
  }
}
