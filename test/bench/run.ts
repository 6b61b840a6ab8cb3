/**
 * `npm run bench -- [NAMES] [--quick] [--only Q1,Q2]`: runs the named benches and prints their tables. Full runs save their figures in
 * `.cache/bench.json`, and draw those of requests as `.cache/bench.svg`. It never fails because of a slow result.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAssembly } from './assembly.bench.ts';
import { drawBars } from './bar-chart.ts';
import { benchMemory } from './memory.bench.ts';
import { benchReplicas } from './replicas.bench.ts';
import { LOADS } from './requests/figures.ts';
import { QUERY_NAMES } from './requests/queries.ts';
import { REFERENCE } from './requests/servers.ts';
import { compareCpu, startTable, toBars, toTable } from './requests/tables.ts';
import { benchRequests } from './requests.bench.ts';
import { benchSubscribers } from './subscribers.bench.ts';
import { printTable, type Row } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: QUERY_NAMES.join(',') },
    quick: { type: 'boolean', default: false },
  },
});
const { quick: isQuick } = values;
const only = QUERY_NAMES.filter((name) => values.only.split(',').includes(name));
const CACHE = new URL('../../.cache/', import.meta.url);

const benches: Readonly<Record<string, () => Promise<void>>> = {
  async requests() {
    const found = await benchRequests({ only, isQuick });
    save('requests', found);
    if (!isQuick) {
      const chart = drawBars(`CPU time of an answer, in answers of ${REFERENCE}`, toBars(found.figures), 1);
      writeFileSync(new URL('bench.svg', CACHE), chart);
    }
    printTable('From start to first answer', startTable(found));
    for (const load of LOADS) {
      const table = toTable(found.figures, load);
      const title = `Requests at ${load.latency} ms upstream latency over ${load.connections} connections`;
      if (table.length > 0) printTable(title, table);
    }
    printTable('CPU time of an answer', compareCpu(found.figures));
  },
  assembly: async () => finish('assembly', await benchAssembly(isQuick)),
  subscribers: async () => finish('subscribers', await benchSubscribers(isQuick)),
  memory: async () => finish('memory', await benchMemory(isQuick)),
  replicas: async () => finish('replicas', await benchReplicas(isQuick)),
};

function finish(name: string, rows: readonly Row[]): void {
  save(name, rows);
  printTable(name, rows);
}

/** Replaces the figures of one bench in the file of all. Those of quick runs are not kept. */
function save(name: string, figures: unknown): void {
  if (isQuick) return;
  const file = new URL('bench.json', CACHE);
  mkdirSync(CACHE, { recursive: true });
  const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const on = `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
  writeFileSync(file, `${JSON.stringify({ ...all, [name]: { on, figures } }, null, 2)}\n`);
}

// What a bench has started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const names = positionals.length === 0 ? Object.keys(benches) : positionals;
if (!names.every((name) => Object.hasOwn(benches, name)) || only.length === 0) {
  throw new Error(
    `expected benches of ${Object.keys(benches).join(', ')} and --only with ${QUERY_NAMES.join(',')}, got ${positionals.join(' ')} --only ${values.only}`,
  );
}
for (const name of names) {
  console.log(`\nrunning ${name}`);
  await benches[name]?.();
}
