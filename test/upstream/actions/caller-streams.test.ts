// Tests the streams of one caller with a poller that the test speaks for.
import { expect, it } from 'vitest';
import type { PollerListener } from '../../../src/upstream/actions/action-poller.ts';
import { CallerStreams } from '../../../src/upstream/actions/caller-streams.ts';

it('do not begin with an unfinished action that could not be read any more', async () => {
  let listener: PollerListener | null = null;
  const poller = { add() {}, remove() {}, watchList() {}, hurry() {}, close() {} };
  const streams = new CallerStreams(
    { streams: 10, actions: 10 },
    (given) => {
      listener = given;
      return poller;
    },
    () => undefined,
    () => undefined,
  );
  const open = () => streams.watchUnfinished(undefined);
  const reported = listener as unknown as PollerListener;
  const first = open();
  for (const id of ['6', '7']) reported.onState('listed', id, { id, finished: false });
  reported.onFailure('7', new Error('gone'));
  expect((await open().next()).value).toEqual({ id: '6', finished: false });
  const second = open();
  await second.next();
  streams.close(new Error('closed'));
  await expect(second.next()).rejects.toThrow('closed');
  expect((await first.next()).value).toEqual({ id: '6', finished: false });
});
