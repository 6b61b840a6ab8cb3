// Collects metrics for Prometheus.
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import { combineObservers } from '../combine-observers.ts';
import type { Observer } from '../observer.ts';
import { defineMetrics } from './define-metrics.ts';
import { type FacadeSizes, measureFacades } from './facade-metrics.ts';
import { measureOperations } from './operation-metrics.ts';
import { measureUpstream } from './upstream-metrics.ts';

/** The metrics of a process, as another process can read them. */
export type Series = readonly object[];

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  /** The media type of the text. */
  readonly contentType: string;
  /** Writes all metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** The metrics of a process. */
export interface Metrics extends MetricsText {
  readonly observer: Observer;
  /** Reads all metrics, for the primary. */
  series(): Promise<Series>;
}

/**
 * Makes metrics, with those of the process, such as processor time and the delay of the event loop.
 * @param version Of this program.
 * @param sizesOf Returns the sizes of all facades. Called when the metrics are read.
 * @param worker The number of this worker; null where one process serves.
 */
export function createMetrics(
  version: string,
  sizesOf: () => readonly FacadeSizes[],
  worker: number | null = null,
): Metrics {
  const registry = createRegistry(worker === null ? null : String(worker));
  return {
    observer: registerMetrics(registry, version, sizesOf),
    contentType: registry.contentType,
    text: () => registry.metrics(),
    series: () => readSeries(registry),
  };
}

/** Adds all metrics but those of the process to a registry. Returns what measures them. */
export function registerMetrics(
  registry: Registry,
  version: string,
  sizesOf: () => readonly FacadeSizes[],
): Observer {
  const { counter, gauge } = defineMetrics(registry);
  gauge('optiongraph_info', 'Always 1, with the version of Optiongraph', 'version').set({ version }, 1);
  const losses = counter('optiongraph_log_losses_total', 'Lines of the log that could not be written');
  return combineObservers([
    measureOperations(registry),
    measureUpstream(registry),
    measureFacades(registry, sizesOf),
    { logLoss: ({ lines }) => losses.inc(lines) },
  ]);
}

/**
 * Makes a registry with the metrics of the process, such as processor time and the delay of the event loop.
 * @param worker The label of all its metrics, where several processes serve; null for none.
 */
function createRegistry(worker: string | null): Registry {
  const registry = new Registry();
  if (worker !== null) registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Reads the metrics of a process. They differ from those of the others in a label, so there is nothing to add up. */
async function readSeries(registry: Registry): Promise<Series> {
  const series = await registry.getMetricsAsJSON();
  return series.map((metric) => ({ ...metric, aggregator: 'first' }));
}

/** Makes the metrics of a process and of its workers. @param readWorkers Reads those of the workers. */
export function createMetricsOfAll(readWorkers: () => Promise<readonly Series[]>): MetricsText {
  const own = createRegistry('primary');
  return {
    contentType: own.contentType,
    async text() {
      const all = [...(await readWorkers()), await readSeries(own)];
      return AggregatorRegistry.aggregate(all.map((series) => [...series])).metrics();
    },
  };
}
