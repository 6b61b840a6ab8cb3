// Tests how yoga sends large results in pieces.
import type { Readable } from 'node:stream';
import { type FetchAPI, getSSEProcessor } from 'graphql-yoga';
import { expect, it } from 'vitest';
import { PIECES_API, withMark } from '../../src/transports/result-pieces.ts';

const PIECES = Array.from({ length: 10 }, (_, index) => Buffer.from(String(index).repeat(50_000)));

it('takes the next result of a stream when the one before is read', async () => {
  let taken = 0;
  async function* results() {
    for (;;) {
      taken += 1;
      yield withMark({ data: {}, encode: () => PIECES });
    }
  }
  const response = await getSSEProcessor()(results(), PIECES_API as FetchAPI, 'text/event-stream');
  const body = response.body as unknown as AsyncIterable<Buffer>;
  const reader = body[Symbol.asyncIterator]();
  let read = 0;
  while (read < 700_000) read += (await reader.next()).value?.length ?? 0;
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  // One of 500,000 bytes is read, the second begun.
  expect(taken).toBeLessThanOrEqual(3);
  await reader.return?.();
});

it('does not take the next result while it waits for one, whatever is sent meanwhile', async () => {
  const { TextEncoder: Encoder, ReadableStream: Stream } = PIECES_API as FetchAPI;
  const ping = new Encoder().encode(':\n\n');
  let controller: ReadableStreamDefaultController | undefined;
  let taken = 0;
  const stream = new Stream({
    start(started: ReadableStreamDefaultController) {
      controller = started;
    },
    pull() {
      taken += 1;
      return new Promise<void>(() => undefined);
    },
    cancel: () => undefined,
  }) as unknown as AsyncIterable<Buffer>;
  const reader = stream[Symbol.asyncIterator]();
  for (let count = 0; count < 3; count += 1) {
    const read = reader.next();
    await new Promise(setImmediate);
    controller?.enqueue(ping);
    expect(String((await read).value)).toBe(':\n\n');
  }
  expect(taken).toBe(1);
});

it('begins when it is read, and ends whenever it is destroyed', async () => {
  const { ReadableStream: Stream } = PIECES_API as FetchAPI;
  const done: string[] = [];
  const source = {
    start: () => void done.push('start'),
    pull: () => new Promise<void>(() => undefined),
    cancel: () => void done.push('cancel'),
  };
  const unread = new Stream(source) as unknown as Readable;
  await new Promise(setImmediate);
  expect(done).toEqual([]);
  unread.destroy();
  await new Promise(setImmediate);
  expect(done).toEqual(['start', 'cancel']);
});
