/**
 * `npm run bench -- [NAMES] [--quick] [--only Q1,Q2] [--write docs/performance.md]`: runs the named benches, prints their tables and
 * saves their figures, but for those of quick runs. It never fails because of a slow result.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAssembly } from './assembly.bench.ts';
import { benchCallers } from './callers.bench.ts';
import { type AllFigures, readFigures, saveFigures, withOtherQueries } from './figures-file.ts';
import { benchMemory } from './memory.bench.ts';
import { writePerformancePage } from './page/performance-page.ts';
import { judgeTargets } from './page/targets.ts';
import { benchReplicas } from './replicas.bench.ts';
import { LOADS } from './requests/figures.ts';
import { QUERY_NAMES } from './requests/queries.ts';
import { compareCpu, startTable, toTable } from './requests/tables.ts';
import { benchRequests } from './requests.bench.ts';
import { writeScalingPage } from './scaling/scaling-page.ts';
import { benchSubscribers } from './subscribers.bench.ts';
import { printTable, type Row } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: QUERY_NAMES.join(',') },
    quick: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
});
const { quick: isQuick } = values;
const only = QUERY_NAMES.filter((name) => values.only.split(',').includes(name));

const benches: Readonly<Record<keyof AllFigures, () => Promise<void>>> = {
  async requests() {
    const found = await benchRequests({ only, isQuick });
    if (!isQuick) saveFigures('requests', withOtherQueries(found));
    printTable('From start to first answer', startTable(found));
    for (const load of LOADS) {
      const table = toTable(found.figures, load);
      const title = `Requests at ${load.latency} ms upstream latency over ${load.connections} connections`;
      if (table.length > 0) printTable(title, table);
    }
    printTable('CPU time of an answer', compareCpu(found.figures));
  },
  assembly: async () => finish('assembly', await benchAssembly(isQuick)),
  callers: async () => finish('callers', await benchCallers()),
  subscribers: async () => finish('subscribers', await benchSubscribers(isQuick)),
  memory: async () => finish('memory', await benchMemory(isQuick)),
  async replicas() {
    const found = await benchReplicas(isQuick);
    if (found === null) return;
    if (!isQuick) saveFigures('replicas', found);
    printTable('Replicas', found.runs);
    printTable('Redis and queries', found.queries);
  },
};

function finish(name: Exclude<keyof AllFigures, 'requests' | 'replicas'>, rows: readonly Row[]): void {
  if (!isQuick) saveFigures(name, rows);
  printTable(name, rows);
}

// What a bench has started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const isBench = (name: string): name is keyof AllFigures => Object.hasOwn(benches, name);
const names = positionals.length === 0 ? Object.keys(benches) : positionals;
if (!names.every(isBench) || only.length === 0) {
  throw new Error(
    `expected benches of ${Object.keys(benches).join(', ')} and --only with ${QUERY_NAMES.join(',')}, got ${positionals.join(' ')} --only ${values.only}`,
  );
}
for (const name of names) {
  console.log(`\nrunning ${name}`);
  await benches[name]();
}
if (!isQuick) printTable('Targets', judgeTargets(readFigures()));
if (values.write !== undefined) writeFigures(values.write);

/** Writes the page about scaling from the bench of replicas, and any other one from the other benches. */
function writeFigures(file: string): void {
  const figures = readFigures();
  if (basename(file) !== 'scaling.md') writePerformancePage(file, figures);
  else if (figures.replicas !== undefined) writeScalingPage(file, figures.replicas);
}
