// Measures schemas and caches.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer } from '../observer.ts';

/** The sizes of what a facade keeps. */
export interface FacadeSizes {
  /** Schemas of callers. */
  readonly schemas: number;
  /** Characters of the descriptions from which the schemas were assembled. */
  readonly schemaCharacters: number;
  /** Callers whose description is known. */
  readonly callers: number;
}

/**
 * Makes an observer that measures schemas.
 * @param sizesOf Returns the sizes of all facades. Called when the metrics are read.
 */
export function measureSchemas(registry: Registry, sizesOf: () => readonly FacadeSizes[]): Observer {
  const registers = [registry];
  const addSize = (name: string, help: string, size: (sizes: FacadeSizes) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(sizesOf().reduce((sum, sizes) => sum + size(sizes), 0));
      },
    });
  };
  addSize('optiongraph_schemas', 'Schemas that are kept', ({ schemas }) => schemas);
  addSize(
    'optiongraph_schema_description_characters',
    'Size of the descriptions of the schemas that are kept',
    ({ schemaCharacters }) => schemaCharacters,
  );
  addSize('optiongraph_callers', 'Callers whose description is known', ({ callers }) => callers);
  const assemblies = new Histogram({
    name: 'optiongraph_schema_assembly_duration_seconds',
    help: 'Time to assemble a schema from a description',
    labelNames: ['result'],
    buckets: [0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  // Prometheus sees no increase in a series that begins with 1, and an alert waits for the first failure.
  for (const result of ['served', 'failed']) assemblies.zero({ result });
  const changes = new Counter({
    name: 'optiongraph_schema_changes_total',
    help: "New descriptions that have replaced the operator's schema",
    registers,
  });
  return {
    assembly:
      () =>
      ({ problem, duration }) =>
        assemblies.observe({ result: problem === null ? 'served' : 'failed' }, duration / 1_000),
    schemaChange: () => changes.inc(),
  };
}
