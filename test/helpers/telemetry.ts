// Keeps what a facade reports: its log lines, its metrics and what its observer is told.

import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { createLog } from '../../src/log.ts';
import { combineObservers, type Observer } from '../../src/observer.ts';
import { createLogObserver } from '../../src/plugins/log/log-observer.ts';
import { createMetrics, type Metrics } from '../../src/plugins/metrics/metrics.ts';
import { recordOutput } from './secrecy.ts';

/** A log line. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The log and the metrics of a facade, as the program has them. */
export interface Telemetry {
  /** Options of the facade. */
  readonly options: Pick<FacadeOptions, 'log' | 'observer'>;
  readonly metrics: Metrics;
  /** All lines as they were written. */
  readonly allLines: readonly string[];
  /** The lines with an event, without time, level and process. */
  lines(event: string): readonly LogLine[];
  /** Reads the metrics: the value of each series. */
  values(): Promise<Readonly<Record<string, number>>>;
}

/** Opens a log and metrics. @param slowOperation Milliseconds. */
export function openTelemetry(slowOperation = 60_000): Telemetry {
  const allLines: string[] = [];
  const log = createLog((line) => {
    recordOutput('the log', line);
    allLines.push(line);
  });
  const metrics = createMetrics('1.2.3', () => null);
  const observer = combineObservers([
    createLogObserver(log, { level: 'info', slowOperation }),
    metrics.observer,
  ]);
  return {
    options: { log, observer },
    metrics,
    allLines,
    lines: (event) =>
      allLines
        .map((line): LogLine => JSON.parse(line))
        .filter((line) => line['event'] === event)
        .map(({ time: _time, pid: _pid, hostname: _hostname, event: _event, ...rest }) => rest),
    values: async () => readMetrics(await metrics.text()),
  };
}

/** Parses Prometheus' text format. */
export function readMetrics(text: string): Readonly<Record<string, number>> {
  recordOutput('the metrics', text);
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    series.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** What an observer was told. */
type Told<K extends keyof Observer> = Parameters<NonNullable<Observer[K]>>[0];
/** How what began ended. */
type End<K extends keyof Observer> =
  NonNullable<Observer[K]> extends (begun: never) => ((end: infer E) => void) | undefined ? E : undefined;

/** One thing that a facade reported. */
export interface Reported<K extends keyof Observer> {
  readonly told: Told<K>;
  /** Undefined until the end. */
  end: End<K> | undefined;
  hasEnded: boolean;
}

/** An observer of one kind of reports, with its reports. */
export function observe<K extends keyof Observer>(
  name: K,
): { readonly observer: Observer; readonly reports: readonly Reported<K>[] } {
  const reports: Reported<K>[] = [];
  const begin = (told: Told<K>) => {
    const report: Reported<K> = { told, end: undefined, hasEnded: false };
    reports.push(report);
    return (end: End<K>) => {
      recordOutput('telemetry', JSON.stringify([told, end]));
      report.end = end;
      report.hasEnded = true;
    };
  };
  return { observer: { [name]: begin }, reports };
}
