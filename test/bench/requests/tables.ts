// Makes tables of the figures of requests, and judges them by the targets.
import type { RequestFigures } from '../requests.bench.ts';
import { type Row, rounded } from '../table.ts';
import type { Figures } from './figures.ts';
import type { QueryName } from './queries.ts';
import { OURS, REFERENCE } from './servers.ts';

/** The most CPU time of an answer, in answers of the reference. */
const TARGETS: Readonly<Record<QueryName, number>> = { Q1: 1.2, Q2: 1, Q3: 0.9, Q4: 1 };

/** One row for each operation and server under one load. */
export function toTable(figures: readonly Figures[], latency: number, connections: number): readonly Row[] {
  const listed = figures.filter((one) => one.latency === latency && one.connections === connections);
  return listed.map(({ query, server, perSecond, p50, p99, cpu, calls }) => ({
    query,
    server,
    'per s': perSecond,
    'p50 ms': p50,
    'p99 ms': p99,
    'CPU ms': cpu,
    calls,
  }));
}

/** Our CPU time of an answer by that of the reference, without latency. */
export function compareCpu(figures: readonly Figures[]): readonly Row[] {
  const busy = figures.filter(({ latency, connections }) => latency === 0 && connections > 1);
  const find = (query: QueryName, name: string) =>
    busy.find((one) => one.query === query && one.server === name);
  return (Object.keys(TARGETS) as QueryName[]).flatMap((query): Row[] => {
    const ours = find(query, OURS);
    const reference = find(query, REFERENCE);
    if (ours === undefined || reference === undefined) return [];
    const ratio = rounded(ours.cpu / reference.cpu, 2);
    const target = TARGETS[query];
    return [
      {
        query,
        'CPU ms': ours.cpu,
        [`CPU ms of ${REFERENCE}`]: reference.cpu,
        ratio,
        target: `at most ${target}`,
        reached: ratio <= target ? 'yes' : 'NO',
      },
    ];
  });
}

/** How each server starts. */
export const startTable = ({ starts }: RequestFigures): readonly Row[] =>
  starts.map(({ server, firstAnswer, rss }) => ({
    server,
    'first answer ms': firstAnswer,
    'RSS then MiB': rss,
  }));
