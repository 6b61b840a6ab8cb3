/**
 * `npm run bench -- [NAMES] [--quick] [--only Q1,Q2] [--check]`: runs the named benches and prints their tables. Full runs save their
 * figures in `.cache/bench.json`, and write those of attacks for the documents to `.cache/attacks.md`. Only `--check` fails because of figures: it holds attacks to their aims.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { findBroken, findNoise, serverTable, summaryTable, waitTable } from './attacks/figures.ts';
import { SCENE_NAMES } from './attacks/scenes.ts';
import { benchAttacks } from './attacks.bench.ts';
import { LOADS } from './requests/figures.ts';
import { QUERY_NAMES } from './requests/queries.ts';
import { compareCpu, startTable, toTable } from './requests/tables.ts';
import { benchRequests } from './requests.bench.ts';
import { printTable, toMarkdown } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const { quick: isQuick } = values;
const wanted = values.only?.split(',');
const CACHE = new URL('../../.cache/', import.meta.url);

const benches: Readonly<Record<string, () => Promise<void>>> = {
  async requests() {
    const only = choose(QUERY_NAMES);
    if (only.length === 0) return;
    const found = await benchRequests({ only, isQuick });
    save('requests', found);
    printTable('From start to first answer', startTable(found));
    for (const load of LOADS) {
      const table = toTable(found.figures, load);
      const title = `Requests at ${load.latency} ms upstream latency over ${load.connections} connections of ${load.callers} callers`;
      if (table.length > 0) printTable(title, table);
    }
    printTable('CPU time of an answer', compareCpu(found.figures));
  },
  async attacks() {
    const only = choose(SCENE_NAMES);
    if (only.length === 0) return;
    const scenes = await benchAttacks({ only, isQuick });
    const [waits, servers] = [waitTable(scenes), serverTable(scenes)];
    save('attacks', { waits, servers });
    if (!isQuick) writeFileSync(new URL('attacks.md', CACHE), toMarkdown(summaryTable(scenes)));
    printTable('Waits of light clients', waits);
    printTable('The server, and what the heavy clients got', servers);
    printLines('Measured under these conditions', scenes.flatMap(findNoise));
    const broken = scenes.flatMap(findBroken);
    printLines('Missed aims', broken);
    if (values.check && broken.length > 0) process.exitCode = 1;
  },
};

/** What `--only` names of a bench. Default: all. */
function choose<Name extends string>(names: readonly Name[]): readonly Name[] {
  return names.filter((name) => wanted?.includes(name) ?? true);
}

function printLines(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${lines.length === 0 ? 'none' : ''}\n`);
  for (const line of lines) console.log(`- ${line}`);
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

const parts: readonly string[] = [...QUERY_NAMES, ...SCENE_NAMES];
if (wanted?.every((name) => parts.includes(name)) === false)
  throw new Error(`expected --only with names of ${parts.join(',')}, got ${values.only}`);
const names = positionals.length === 0 ? Object.keys(benches) : positionals;
if (!names.every((name) => Object.hasOwn(benches, name))) {
  throw new Error(`expected benches of ${Object.keys(benches).join(', ')}, got ${positionals.join(' ')}`);
}
for (const name of names) {
  console.log(`\nrunning ${name}`);
  await benches[name]?.();
}
