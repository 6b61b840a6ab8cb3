// The process of the clients that send as much as they can.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { RefusedSocketError } from './bench-socket.ts';
import { floodHttp } from './http-flood.ts';
import type { FloodFigures, FloodOrder } from './orders.ts';
import { type FloodEnd, floodSocket } from './socket-flood.ts';
import { Tally } from './tally.ts';

const MIB = 1_048_576;
const NANOSECONDS = 1_000_000;

/** Documents of one flood at most: floods have different ones. */
const DOCUMENTS = 1_000_000;

/** Floods that have begun. */
let begun = 0;

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

async function run({ floods, duration, rest, ...target }: FloodOrder): Promise<FloodFigures> {
  const tally = new Tally();
  const sendUntil = performance.now() + duration;
  const end: FloodEnd = { sendUntil, waitUntil: sendUntil + rest };
  await Promise.all(
    floods.map(async (flood) => {
      const first = begun++ * DOCUMENTS;
      try {
        if (flood.over === 'HTTP') await floodHttp(target, flood, first, end, tally);
        else await floodSocket(target, flood, first, end, tally);
      } catch (error) {
        if (!(error instanceof RefusedSocketError)) throw error;
        tally.sent += 1;
        tally.refuse(`closed ${error.code}`);
      }
    }),
  );
  return {
    outcomes: tally.outcomes,
    receivedMiB: Math.round(tally.bytes / MIB),
    ownBlock: delay.max / NANOSECONDS,
  };
}

process.on('message', (order: FloodOrder) => {
  void run(order).then((figures) => process.send?.(figures));
});
console.log('ready');
