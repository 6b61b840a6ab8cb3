// Writes the figures of all benches into the page about performance, with a chart.
import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { AllFigures } from '../figures-file.ts';
import { BUSY, type Figures, findFigures, LOADS } from '../requests/figures.ts';
import { QUERIES, QUERY_NAMES } from '../requests/queries.ts';
import { REFERENCE } from '../requests/servers.ts';
import { startTable, toTable } from '../requests/tables.ts';
import { type Part, writePage } from '../write-page.ts';
import { type BarGroup, drawBars } from './bar-chart.ts';
import { judgeTargets } from './targets.ts';

const HEADING = `CPU time of an answer, in answers of ${REFERENCE}`;

/** Replaces the figures in a page, and the chart `images/<page>.svg` beside it. @throws Error when the page has no place for them. */
export function writePerformancePage(file: string, all: AllFigures): void {
  const chart = join(dirname(file), 'images', basename(file).replace(/\.md$/, '.svg'));
  const { requests, assembly, callers, subscribers, memory } = all;
  const parts: Part[] = ['### Targets', judgeTargets(all)];
  if (requests !== undefined) {
    const { figures } = requests.figures;
    writeFileSync(chart, drawBars(HEADING, toGroups(figures), 1));
    parts.push(
      `### Requests`,
      `Measured ${requests.on}.`,
      `![${HEADING}](${relative(dirname(file), chart)})`,
    );
    for (const load of LOADS) {
      const table = toTable(figures, load);
      if (table.length > 0) parts.push(`Upstream latency ${load.latency} ms, ${describe(load)}:`, table);
    }
    parts.push('### Start', startTable(requests.figures));
  }
  const others = {
    'Large descriptions': assembly,
    Callers: callers,
    Subscribers: subscribers,
    Memory: memory,
  };
  for (const [title, saved] of Object.entries(others)) {
    if (saved !== undefined) parts.push(`### ${title}`, `Measured ${saved.on}.`, saved.figures);
  }
  writePage(file, parts);
}

const describe = ({ connections }: { readonly connections: number }): string =>
  connections === 1 ? 'one client' : `${connections} connections`;

/** The CPU times of each operation, by that of the reference. */
function toGroups(figures: readonly Figures[]): readonly BarGroup[] {
  return QUERY_NAMES.flatMap((query) => {
    const reference = findFigures(figures, REFERENCE, query, BUSY);
    if (reference === undefined) return [];
    const bars = figures
      .filter(
        (one) => one.query === query && one.latency === BUSY.latency && one.connections === BUSY.connections,
      )
      .map(({ server, cpu }) => ({
        series: server,
        value: cpu / reference.cpu,
        label: `${(cpu / reference.cpu).toFixed(2)} (${cpu} ms)`,
      }));
    return [{ title: `${query}: ${QUERIES[query].what}`, bars }];
  });
}
