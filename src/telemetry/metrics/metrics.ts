// Collects metrics for Prometheus.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { combineObservers } from '../combine-observers.ts';
import type { Observer } from '../observer.ts';
import { measureOperations } from './operation-metrics.ts';
import { type FacadeSizes, measureSchemas } from './schema-metrics.ts';
import { measureSharing } from './sharing-metrics.ts';
import { measureUpstream } from './upstream-metrics.ts';

/** The metrics of a process. */
export interface Metrics {
  /** Measures what it observes. */
  readonly observer: Observer;
  /** The media type of the text. */
  readonly contentType: string;
  /** Writes all metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/**
 * Makes metrics, with those of the process, such as processor time and the delay of the event loop.
 * @param version Of this program.
 * @param sizesOf Returns the sizes of all facades. Called when the metrics are read.
 */
export function createMetrics(version: string, sizesOf: () => readonly FacadeSizes[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'optiongraph_info',
    help: 'The version of Optiongraph',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return {
    observer: combineObservers([
      measureOperations(registry),
      measureUpstream(registry),
      measureSchemas(registry, sizesOf),
      measureSharing(registry),
    ]),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
