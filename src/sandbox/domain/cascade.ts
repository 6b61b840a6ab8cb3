import type { Store } from '../engine/store.ts';

/** What goes with a row of a table: rows of other tables, and the column by which they refer to it. */
const dependents: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
  datasets: [
    ['datasets', 'parent'],
    ['snapshots', 'dataset'],
    ['plans', 'dataset'],
    ['property_histories', 'dataset'],
    ['dataset_expansions', 'dataset'],
    ['exports', 'dataset'],
    ['leftovers', 'dataset'],
    ['mounts', 'dataset'],
  ],
  cluster_resource_packages: [['package_items', 'cluster_resource_package']],
  dataset_expansions: [['expansion_histories', 'dataset_expansion']],
};

/** Removes a row with everything that hangs on it. References to what is gone read as null. */
export function removeWithDependents(store: Store, table: string, id: number): void {
  for (const [dependent, column] of dependents[table] ?? []) {
    for (const row of store.rows(dependent)) {
      if (row[column] === id) removeWithDependents(store, dependent, row.id);
    }
  }
  store.remove(table, id);
}
