// Makes tables of the figures of requests, and judges them by the targets.
import type { RequestFigures } from '../requests.bench.ts';
import { type Row, rounded } from '../table.ts';
import { BUSY, type Figures, findFigures, type Load } from './figures.ts';
import { QUERIES, QUERY_NAMES, type QueryName } from './queries.ts';
import { OURS, REFERENCE } from './servers.ts';

/** The most CPU time of an answer, in answers of the reference. */
const TARGETS: Readonly<Record<QueryName, number>> = { Q1: 1.2, Q2: 1, Q3: 0.9, Q4: 1 };

/** One row for each operation and server under one load. */
export function toTable(figures: readonly Figures[], load: Load): readonly Row[] {
  return figures
    .filter(
      (one) =>
        one.latency === load.latency && one.connections === load.connections && one.callers === load.callers,
    )
    .map(({ query, server, perSecond, p50, p99, cpu, calls }) => ({
      query,
      server,
      'per s': perSecond,
      'p50 ms': p50,
      'p99 ms': p99,
      'CPU ms': cpu,
      calls,
    }));
}

/** Our CPU time of an answer by that of the reference. */
export function compareCpu(figures: readonly Figures[]): readonly Row[] {
  return QUERY_NAMES.flatMap((query): Row[] => {
    const ours = findFigures(figures, OURS, query, BUSY);
    const reference = findFigures(figures, REFERENCE, query, BUSY);
    if (ours === undefined || reference === undefined) return [];
    const ratio = rounded(ours.cpu / reference.cpu, 2);
    const target = TARGETS[query];
    return [
      {
        query,
        what: QUERIES[query].what,
        'CPU ms': ours.cpu,
        [`CPU ms of ${REFERENCE}`]: reference.cpu,
        ratio,
        target: `at most ${target}`,
        reached: ratio <= target ? 'yes' : 'NO',
      },
    ];
  });
}

/** How each server starts, and what it holds at the end. */
export const startTable = ({ starts, loaded }: Pick<RequestFigures, 'starts' | 'loaded'>): readonly Row[] =>
  starts.map(({ server, firstAnswer, rss }) => ({
    server,
    'first answer ms': firstAnswer,
    'RSS then MiB': rss,
    'RSS at the end MiB': loaded.find((one) => one.server === server)?.rss ?? '',
  }));
