// Runs the benchmarks that its arguments name, prints their tables and saves them. It never fails because of a slow result.
import { benchAssembly } from './assembly.bench.ts';
import { benchCallers } from './callers.bench.ts';
import { benchRequests } from './requests.bench.ts';
import { benchSubscribers } from './subscribers.bench.ts';
import { printTable, type Row, save } from './table.ts';

const benches: Readonly<Record<string, readonly [title: string, run: () => Promise<readonly Row[]>]>> = {
  assembly: ['Assembly in a fresh process (median of 7)', benchAssembly],
  callers: ['A schema for each caller, over the production description', benchCallers],
  subscribers: [
    'Watching running actions: the facade beside one polling loop a subscriber',
    benchSubscribers,
  ],
  requests: ['Operations of the facade beside plain REST calls for the same data', benchRequests],
};

const chosen = process.argv.slice(2);
for (const [name, [title, run]] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const rows = await run();
  save(name, rows);
  printTable(title, rows);
}
