// Defines the metrics of a registry, and bounds the values of their labels.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Upper bounds in seconds of the times of operations and calls. */
export const TIMES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** Returns functions that add a metric to a registry: its name, what it says, and the names of its labels. */
export function defineMetrics(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, ...labelNames: readonly string[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, ...labelNames: readonly string[]) =>
      new Gauge({ name, help, labelNames, registers }),
    /** A gauge whose value is asked for when the metrics are read. */
    size: (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      }),
    histogram: (name: string, help: string, buckets: readonly number[], ...labelNames: readonly string[]) =>
      new Histogram({ name, help, buckets: [...buckets], labelNames, registers }),
  };
}

/** The values of a label that others choose: the first names up to a maximum, and `other`. */
export class BoundedNames {
  readonly #names = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * The value of the label: the name if it is known, else `other`.
   * @param mayAdd Whether an unknown name becomes known, while there are fewer than the maximum.
   */
  labelOf(name: string, mayAdd = true): string {
    if (this.#names.has(name)) return name;
    if (!mayAdd || this.#names.size >= this.#max) return 'other';
    this.#names.add(name);
    return name;
  }
}
