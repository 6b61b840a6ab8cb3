// Tests how yoga sends large results in pieces.
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
