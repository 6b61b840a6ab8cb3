// Keeps the series of a metric with labels.
import type { Counter, Histogram, Registry } from 'prom-client';

/** One series, and the values of the labels by their names. */
interface Series<M> {
  readonly labels: Readonly<Record<string, string>>;
  readonly metric: M;
}

/**
 * A metric with labels, whose series are metrics of prom-client without labels. They are found by the values of their labels one after
 * another: prom-client looks a series up by a string that it builds from all labels, which costs more than to count.
 */
export class LabelledMetric<M extends Counter | Histogram> {
  readonly #names: readonly string[];
  readonly #create: () => M;
  readonly #root = new Branch<M>();
  readonly #series: Series<M>[] = [];

  /**
   * @param names Names of the labels.
   * @param create Makes the metric of a series, which is in no registry. All have the same name and description.
   */
  constructor(registry: Registry, names: readonly string[], create: () => M) {
    this.#names = names;
    this.#create = create;
    const description = create();
    const get = async () => ({ ...(await description.get()), values: await this.#values() });
    // The registry asks a histogram by another method, which its type does not have.
    registry.registerMetric(Object.assign(create(), { labelNames: names, get, getForPromString: get }));
  }

  /** The series of some values of the labels, in the order of the names. */
  series(...values: readonly string[]): M {
    const branch = this.#root.find(values);
    branch.leaf ??= this.#add(values);
    return branch.leaf;
  }

  #add(values: readonly string[]): M {
    const metric = this.#create();
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']));
    this.#series.push({ labels, metric });
    return metric;
  }

  async #values() {
    const all = this.#series.map(async ({ labels, metric }) => {
      const { values } = await metric.get();
      return values.map((value) => ({ ...value, labels: { ...value.labels, ...labels } }));
    });
    return (await Promise.all(all)).flat();
  }
}

/** A tree of values. A list of names leads to each, by one branch for each name. */
class Branch<T> {
  leaf: T | null = null;
  readonly #branches = new Map<string, Branch<T>>();

  /** The branch to which a list of names leads. */
  find(names: readonly string[]): Branch<T> {
    let end: Branch<T> = this;
    for (const name of names) end = end.#next(name);
    return end;
  }

  #next(name: string): Branch<T> {
    let next = this.#branches.get(name);
    if (next === undefined) {
      next = new Branch();
      this.#branches.set(name, next);
    }
    return next;
  }
}
