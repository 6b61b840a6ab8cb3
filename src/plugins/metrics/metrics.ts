// Collects metrics for Prometheus.
import { collectDefaultMetrics, Registry } from 'prom-client';
import { combineObservers } from '../../combine-observers.ts';
import type { Observer } from '../../observer.ts';
import { defineMetrics } from './define-metrics.ts';
import { type FacadeSizes, measureFacades } from './facade-metrics.ts';
import { measureOperations } from './operation-metrics.ts';
import { measureUpstream } from './upstream-metrics.ts';

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
}

/**
 * Makes metrics, with those of the process, such as processor time and the delay of the event loop.
 * @param version Of this program.
 * @param sizesOf Returns the sizes of all facades. Called when the metrics are read.
 */
export function createMetrics(version: string, sizesOf: () => readonly FacadeSizes[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    observer: registerMetrics(registry, version, sizesOf),
    contentType: registry.contentType,
    text: () => registry.metrics(),
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
