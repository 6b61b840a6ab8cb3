// Collects metrics for Prometheus: those of operations and calls, of what facades keep and share, and of the process.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Callers } from '../../callers/callers.ts';
import { combineObservers } from '../../combine-observers.ts';
import type { Observer } from '../../observer.ts';
import { defineMetrics } from './define-metrics.ts';
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

type CallerSizes = Callers['sizes'];

/** The sizes of what a facade keeps. */
export interface FacadeSizes extends CallerSizes {
  /** The answers of the management API that all facades of the process are receiving. */
  readonly answers: {
    /** Bytes that have arrived. */
    readonly held: number;
    /** Calls that wait for a connection, or until there are fewer bytes. */
    readonly waiting: number;
  };
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
  const observers = [measureOperations(registry), measureUpstream(registry), measureFacades(registry)];
  measureSizes(registry, sizesOf);
  return combineObservers([...observers, { logLoss: ({ lines }) => losses.inc(lines) }]);
}

function measureSizes(registry: Registry, sizesOf: () => readonly FacadeSizes[]): void {
  const { size } = defineMetrics(registry);
  const total = (key: keyof CallerSizes) => (): number =>
    sizesOf().reduce((sum, sizes) => sum + sizes[key], 0);
  // Facades share them.
  const answers = (key: keyof FacadeSizes['answers']) => (): number =>
    Math.max(0, ...sizesOf().map((sizes) => sizes.answers[key]));
  size('optiongraph_schemas', 'Schemas that are kept', total('schemas'));
  size(
    'optiongraph_schema_description_characters',
    'Size of the descriptions of the schemas that are kept',
    total('schemaCharacters'),
  );
  size('optiongraph_callers', 'Callers whose description is known', total('callers'));
  size(
    'optiongraph_answer_memory_bytes',
    'Bytes of the responses of the management API that are being received',
    answers('held'),
  );
  size(
    'optiongraph_answers_waiting',
    'Calls of the management API that wait for their turn',
    answers('waiting'),
  );
}

/** Makes an observer that measures schemas, and whether replicas can share. */
function measureFacades(registry: Registry): Observer {
  const { counter, gauge, histogram } = defineMetrics(registry);
  const assemblies = histogram(
    'optiongraph_schema_assembly_duration_seconds',
    'Time to assemble a schema from a description',
    [0.03, 0.1, 0.3, 1, 3, 10],
    'result',
  );
  // Prometheus sees no increase in a series that begins with 1, and an alert waits for the first failure.
  for (const result of ['served', 'failed']) assemblies.zero({ result });
  const changes = counter(
    'optiongraph_schema_changes_total',
    "New descriptions that have replaced the operator's schema",
  );
  const alone = gauge(
    'optiongraph_sharing_alone',
    '1 while Redis is configured and cannot be used, so that this replica goes on by itself',
  );
  const losses = counter('optiongraph_sharing_losses_total', 'How often Redis could not be used any more');
  return {
    assembly:
      () =>
      ({ problem, duration }) =>
        assemblies.observe({ result: problem === null ? 'served' : 'failed' }, duration / 1_000),
    schemaChange: () => changes.inc(),
    sharing({ isAlone }) {
      alone.set(isAlone ? 1 : 0);
      if (isAlone) losses.inc();
    },
  };
}
