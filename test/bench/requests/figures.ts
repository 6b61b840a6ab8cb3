// The figures of one operation at one server, summed up over rounds.
import { quantile, rounded } from '../table.ts';
import type { Answers } from './load.ts';
import type { QueryName } from './queries.ts';

/** How much is asked. */
export interface Load {
  /** Milliseconds that the management API takes for a read. */
  readonly latency: number;
  readonly connections: number;
  /** Callers to whom the connections belong in turn. */
  readonly callers: number;
}

/** The load under which CPU times are compared. */
export const BUSY: Load = { latency: 0, connections: 16, callers: 16 };
/** The same with one caller. */
export const ONE_CALLER: Load = { ...BUSY, callers: 1 };
/** One client of a management API at some distance. */
export const ALONE: Load = { latency: 20, connections: 1, callers: 1 };

/** All loads. */
export const LOADS: readonly Load[] = [BUSY, ONE_CALLER, { ...BUSY, latency: 20 }, ALONE];

/** What is asked, and how much. */
export interface Condition extends Load {
  readonly query: QueryName;
}

/** What one server did under one condition. Times in milliseconds. */
export interface Figures extends Condition {
  readonly server: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of an answer, in the median round. */
  readonly cpu: number;
  /** Upstream calls of an answer. */
  readonly calls: number;
}

/** One server under one condition in one round. */
export interface Round extends Answers {
  readonly cpu: number;
  readonly calls: number;
}

/** Sums up rounds. */
export function sumUp(server: string, condition: Condition, rounds: readonly Round[]): Figures {
  const latencies = rounds.flatMap((round) => round.latencies);
  const cpus = rounds.map((round) => round.cpu / round.latencies.length);
  const total = (key: 'calls' | 'duration'): number => rounds.reduce((sum, round) => sum + round[key], 0);
  return {
    ...condition,
    server,
    perSecond: rounded((latencies.length * 1_000) / total('duration'), 1),
    p50: quantile(latencies, 0.5, 2),
    p99: quantile(latencies, 0.99, 2),
    cpu: quantile(cpus, 0.5, 3),
    calls: rounded(total('calls') / latencies.length, 2),
  };
}

/** The figures of one server for one operation under one load. */
export function findFigures(
  figures: readonly Figures[],
  server: string,
  query: QueryName,
  { latency, connections, callers }: Load,
): Figures | undefined {
  return figures.find(
    (one) =>
      one.server === server &&
      one.query === query &&
      one.latency === latency &&
      one.connections === connections &&
      one.callers === callers,
  );
}
