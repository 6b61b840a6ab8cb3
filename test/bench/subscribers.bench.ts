// Measures how the facade watches running actions for many subscribers, beside plain polling.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from './table.ts';

const script = fileURLToPath(new URL('subscribers-once.ts', import.meta.url));

/** Watching one action and many, by the facade and by one polling loop a subscriber, each in a fresh process. */
export async function benchSubscribers(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const actions of [1, 50]) {
    for (const subscribers of [100, 1_000, 5_000]) {
      for (const way of ['facade', 'plain']) {
        const output = execFileSync(
          process.execPath,
          ['--import', 'tsx', '--expose-gc', script, way, String(subscribers), String(actions)],
          { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
        );
        rows.push({ subscribers, actions, way, ...(JSON.parse(output) as Row) });
      }
    }
  }
  return rows;
}
