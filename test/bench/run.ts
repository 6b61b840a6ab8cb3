// Runs the benchmarks that its arguments name, prints their tables and saves them. It never fails because of a slow result.
import { parseArgs } from 'node:util';
import { benchAssembly } from './assembly.bench.ts';
import { benchCallers } from './callers.bench.ts';
import { benchMemory } from './memory.bench.ts';
import { QUERY_NAMES, type QueryName } from './requests/queries.ts';
import { compareCpu, startTable, toTable } from './requests/tables.ts';
import { benchRequests, loadsOf, type RequestOptions } from './requests.bench.ts';
import { benchSubscribers } from './subscribers.bench.ts';
import { printTable, type Row, saveFigures } from './table.ts';

/** Figures for the file, and tables by their titles for people. */
interface Report {
  readonly figures: unknown;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

const benches: Readonly<Record<string, (options: RequestOptions) => Promise<Report>>> = {
  requests: async (options) => {
    const found = await benchRequests(options);
    const tables = loadsOf(options.isQuick).map(([latency, connections]) => [
      `Requests at ${latency} ms upstream latency over ${connections} connections`,
      toTable(found.figures, latency, connections),
    ]);
    return {
      figures: found,
      tables: {
        'From start to first answer': startTable(found),
        ...Object.fromEntries(tables),
        'CPU time of an answer': compareCpu(found.figures),
      },
    };
  },
  assembly: async ({ isQuick }) => oneTable('Large descriptions', await benchAssembly(isQuick)),
  callers: async () =>
    oneTable('A schema for each caller, over the production description', await benchCallers()),
  memory: async ({ isQuick }) => oneTable('Steady memory', await benchMemory(isQuick)),
  subscribers: async ({ isQuick }) => oneTable('Watching running actions', await benchSubscribers(isQuick)),
};

const oneTable = (title: string, rows: readonly Row[]): Report => ({
  figures: rows,
  tables: { [title]: rows },
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, quick: { type: 'boolean', default: false } },
});
const unknown = [
  ...positionals.filter((name) => !Object.hasOwn(benches, name)),
  ...values.only.split(',').filter((name) => name !== '' && !QUERY_NAMES.some((query) => query === name)),
];
if (unknown.length > 0) {
  throw new Error(
    `${unknown.join(', ')}: expected benches of ${Object.keys(benches).join(', ')}, and --only with ${QUERY_NAMES.join(',')}`,
  );
}
const only = QUERY_NAMES.filter((name): name is QueryName => values.only.split(',').includes(name));
for (const [name, run] of Object.entries(benches)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const { figures, tables } = await run({ only, isQuick: values.quick });
  saveFigures(name, figures);
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows);
}
