// Collects metrics for Prometheus.
import { Gauge, type Registry } from 'prom-client';
import { combineObservers } from '../combine-observers.ts';
import type { Observer } from '../observer.ts';
import { measureOperations } from './operation-metrics.ts';
import { type FacadeSizes, measureSchemas } from './schema-metrics.ts';
import { createRegistry, type MetricsText, readSeries, type Series } from './series.ts';
import { measureSharing } from './sharing-metrics.ts';
import { measureUpstream } from './upstream-metrics.ts';

/** The metrics of a process. */
export interface Metrics extends MetricsText {
  /** Measures what it observes. */
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
  new Gauge({
    name: 'optiongraph_info',
    help: 'Always 1, with the version of Optiongraph',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return combineObservers([
    measureOperations(registry),
    measureUpstream(registry),
    measureSchemas(registry, sizesOf),
    measureSharing(registry),
  ]);
}
