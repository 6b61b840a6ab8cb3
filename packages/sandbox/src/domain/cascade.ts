// Deletes a row together with the rows that depend on it.
import type { Store } from '../engine/store.ts';

/** For each table, the tables whose rows are deleted with a row, and the column by which those rows refer to it. */
const DEPENDENTS: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
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

/** Removes a row and all rows that depend on it. Remaining references to removed rows read as null. */
export function removeWithDependents(store: Store, table: string, id: number): void {
  for (const [dependent, column] of DEPENDENTS[table] ?? []) {
    for (const row of store.rows(dependent)) {
      if (row[column] === id) removeWithDependents(store, dependent, row.id);
    }
  }
  store.remove(table, id);
}
