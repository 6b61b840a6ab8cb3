// Tests what is reported of live queries.
import { expect, it } from 'vitest';
import { liveOverSse, liveOverWebSocket, openLiveLibrary } from '../../helpers/live-library.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';

const TITLES = 'query Titles @live(interval: 3600) { books { nodes { title } } }';

it('writes one line at the end of a live query, which is never a slow operation', async () => {
  const telemetry = openTelemetry(0);
  await using library = await openLiveLibrary(telemetry.options);
  const server = await library.listen();
  for (const [send, transport] of [
    [liveOverWebSocket, 'websocket'],
    [liveOverSse, 'sse'],
  ] as const) {
    const live = send(server.url, { query: TITLES });
    await live.next();
    expect(await telemetry.values()).toMatchObject({ optiongraph_live_queries: 1 });
    await live.leave();
    const line = expect.objectContaining({ transport, type: 'live query', outcome: 'left' });
    await expect.poll(() => telemetry.lines('operation')).toContainEqual(line);
  }
  expect(telemetry.allLines.filter((line) => line.includes('slow operation'))).toEqual([]);
  await expect.poll(async () => (await telemetry.values())['optiongraph_live_queries']).toBe(0);
});
