// Computes the properties and the tree of datasets, and records changes in the property history.
import { timestamp } from '../actions/running-actions.ts';
import type { LockTarget } from '../engine/blocking.ts';
import type { Failure, Fields, Parameters, Row } from '../engine/definition.ts';
import { boolean, choice, integer, string } from '../engine/parameters.ts';
import type { Store } from '../engine/store.ts';
import { invalidInput } from './write-actions.ts';

/** The properties of a dataset that clients can set. The defaults apply to a new dataset without a parent. */
export const properties: Parameters = {
  atime: boolean({
    label: 'Access time',
    description: 'Controls whether the access time for files is updated when they are read',
    default: false,
  }),
  compression: boolean({
    label: 'Compression',
    description: 'Toggle data compression in this dataset',
    default: true,
  }),
  recordsize: integer({
    label: 'Record size',
    description: 'Specifies a suggested block size for files in the file system',
    default: 131_072,
  }),
  quota: integer({
    label: 'Quota',
    description: 'Limits the amount of space a dataset and all its descendants can consume',
    default: 0,
  }),
  refquota: integer({
    label: 'Reference quota',
    description: 'Limits the amount of space a dataset can consume',
    default: 0,
  }),
  relatime: boolean({
    label: 'Relative access time',
    description: 'Access time is only updated if older than modify or change time, or older than 24 hours',
    default: false,
  }),
  sync: choice(['standard', 'disabled'], {
    label: 'Sync',
    description: 'Controls the behavior of synchronous requests',
    default: 'standard',
  }),
  sharenfs: string({ label: 'NFS share', description: 'Controls NFS sharing', role: 'admin' }),
};

/** The numbers whose changes are recorded in the property history. */
const RECORDED_PROPERTIES = new Set(['recordsize', 'quota', 'refquota', 'used', 'referenced']);

/** Minimum values. Only the server checks them: the specification gives these properties a default but no validator. */
const MINIMUMS = { recordsize: 1, quota: 0, refquota: 0 };

/** Checks the minimum values of changed properties, and returns the failure where a value is too small. */
export function checkProperties(changes: Fields): Failure | undefined {
  const errors = Object.entries(MINIMUMS).flatMap(([name, min]): [string, string][] => {
    const value = changes[name];
    return typeof value === 'number' && value < min ? [[name, `has to be minimally ${min}`]] : [];
  });
  return errors.length > 0
    ? invalidInput('input parameters are not valid', Object.fromEntries(errors))
    : undefined;
}

/** Whether a dataset is the top dataset or one of its descendants. */
export function isInSubtree(row: Row, top: unknown, store: Store): boolean {
  for (let ancestor: Row | undefined = row; ancestor; ancestor = store.row('datasets', ancestor['parent'])) {
    if (ancestor.id === top) return true;
  }
  return false;
}

/** The depth of a dataset in its tree. Top datasets have depth 0. */
export function datasetDepth(row: Row): number {
  return String(row['name']).split('/').length - 1;
}

/** A dataset and all its descendants. */
export function findSubtree(store: Store, top: Row): readonly Row[] {
  return store.rows('datasets').filter((row) => isInSubtree(row, top.id, store));
}

/** What a write on a dataset and all its descendants locks. */
export function findSubtreeLockTargets(store: Store, top: Row): readonly LockTarget[] {
  return findSubtree(store, top).map(({ id }) => ['dataset', id]);
}

/** Changes a dataset, and adds a row to its property history for each number that changes. */
export function changeDataset(store: Store, id: number, changes: Fields): void {
  const before = store.row('datasets', id);
  if (!before) return;
  store.update('datasets', id, changes);
  for (const [name, value] of Object.entries(changes)) {
    if (typeof value !== 'number' || !RECORDED_PROPERTIES.has(name) || before[name] === value) continue;
    store.insert('property_histories', { dataset: id, name, value, created_at: timestamp() });
  }
}
