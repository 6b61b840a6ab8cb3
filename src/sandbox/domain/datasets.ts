import { timestamp } from '../actions/running-actions.ts';
import type { Thing } from '../engine/blocking.ts';
import type { Failure, Fields, Parameters, Row } from '../engine/definition.ts';
import { boolean, choice, integer, string } from '../engine/parameters.ts';
import type { Store } from '../engine/store.ts';
import { invalid } from './write-actions.ts';

/** What can be set of a dataset; the defaults are those of a new one without a parent. */
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

/** Checked by the server alone: the documents give these properties a default and no validator. */
const least = { recordsize: 1, quota: 0, refquota: 0 };

/** Why a dataset cannot have the properties that the changes name; undefined when it can. */
export function refusesProperties(changes: Fields): Failure | undefined {
  const errors = Object.entries(least).flatMap(([name, min]): [string, string][] => {
    const value = changes[name];
    return typeof value === 'number' && value < min ? [[name, `has to be minimally ${min}`]] : [];
  });
  return errors.length > 0
    ? invalid('input parameters are not valid', Object.fromEntries(errors))
    : undefined;
}

/** Whether a dataset is the given one or below it. */
export function isWithin(row: Row, top: unknown, store: Store): boolean {
  for (let at: Row | undefined = row; at; at = store.row('datasets', at['parent'])) {
    if (at.id === top) return true;
  }
  return false;
}

/** Top datasets are at depth 0. */
export function depthOf(row: Row): number {
  return String(row['name']).split('/').length - 1;
}

/** A dataset and every one below it. */
export function subtree(store: Store, top: Row): readonly Row[] {
  return store.rows('datasets').filter((row) => isWithin(row, top.id, store));
}

/** What a write on a dataset and everything below it touches. */
export function lockSubtree(store: Store, top: Row): readonly Thing[] {
  return subtree(store, top).map(({ id }) => ['dataset', id]);
}

/** Changes a dataset, and notes in its history every number that became another. */
export function changeDataset(store: Store, id: number, changes: Fields): void {
  const before = store.row('datasets', id);
  if (!before) return;
  store.update('datasets', id, changes);
  for (const [name, value] of Object.entries(changes)) {
    if (typeof value !== 'number' || !noted.has(name) || before[name] === value) continue;
    store.insert('property_histories', { dataset: id, name, value, created_at: timestamp() });
  }
}

const noted = new Set(['recordsize', 'quota', 'refquota', 'used', 'referenced']);
