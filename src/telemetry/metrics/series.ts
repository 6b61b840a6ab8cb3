// Collects the metrics of processes that serve together.
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of a process, as another process can read them. */
export type Series = readonly object[];

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  /** The media type of the text. */
  readonly contentType: string;
  /** Writes all metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/**
 * Makes a registry with the metrics of the process, such as processor time and the delay of the event loop.
 * @param worker The label of all its metrics, where several processes serve; null for none.
 */
export function createRegistry(worker: string | null): Registry {
  const registry = new Registry();
  if (worker !== null) registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Reads the metrics of a process. They differ from those of the others in a label, so there is nothing to add up. */
export async function readSeries(registry: Registry): Promise<Series> {
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
