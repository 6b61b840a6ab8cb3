// Tests that the log names the client who uses most of the processor while others wait.
import { describe, expect, it } from 'vitest';
import { createLogObserver } from '../../src/plugins/log/log-observer.ts';
import { Processor, type ThreadClock } from '../../src/scheduling/processor.ts';
import { createLog } from '../../src/telemetry/log.ts';

const HEAVY = { network: '192.0.2.1', key: 'a-key-that-is-a-long-hash' };
const LIGHT = { network: '192.0.2.2', key: 'anonymous' };

/** Runs two clients for some seconds of the thread's time. Returns the lines about heavy use. */
async function linesOf({ seconds, lightWaits }: { seconds: number; lightWaits: boolean }) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog((line) => lines.push(JSON.parse(line)), 'info');
  let time = 0;
  const calls: (() => void)[] = [];
  const clock: ThreadClock = { now: () => time, afterEvents: (call) => calls.push(call) };
  const processor = new Processor({
    observer: createLogObserver(log, { level: 'info', slowOperation: 1_000 }),
    clock,
  });
  while (time < seconds * 1_000) {
    const heavy = processor.takeTurn(HEAVY);
    time += 6;
    const light = lightWaits ? processor.takeTurn(LIGHT) : undefined;
    time += 10;
    const again = processor.pause(HEAVY);
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      call();
      await new Promise(setImmediate);
    }
    await Promise.all([heavy, light, again]);
  }
  return lines.filter(({ event }) => event === 'heavy_use');
}

describe('the log', () => {
  it('names the client who uses most while others wait, once in ten seconds', async () => {
    const lines = await linesOf({ seconds: 25, lightWaits: true });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({
      level: 'warn',
      network: HEAVY.network,
      callerKey: 'a-key-that-i',
      part: 1,
    });
    expect(lines[1]?.['seconds']).toBeGreaterThan(5);
  });

  it('names nobody while nobody else waits', async () => {
    expect(await linesOf({ seconds: 25, lightWaits: false })).toEqual([]);
  });
});
