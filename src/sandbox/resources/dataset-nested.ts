import { byDescendingId, index, show } from '../actions.ts';
import type { ResourceDefinition } from '../definition.ts';
import { association, datetime, fromId, integer, limit, string } from '../parameters.ts';
import { planWrites, snapshotWrites } from './dataset-writes.ts';

/** Snapshots of a dataset. */
export const snapshot: ResourceDefinition = {
  description: 'Manage dataset snapshots',
  table: 'snapshots',
  parent: 'dataset',
  output: {
    id: integer(),
    dataset: association('dataset', 'name'),
    name: string(),
    label: string(),
    created_at: datetime(),
    history_id: integer(),
    mount: association('vps.mount', 'mountpoint'),
    export: association('export', 'path'),
  },
  actions: {
    index: index({ description: 'List snapshots' }),
    show: show({ description: 'Show snapshot' }),
    ...snapshotWrites,
  },
};

/** Dataset plans assigned to a dataset. */
export const plan: ResourceDefinition = {
  description: 'Manage dataset plans',
  table: 'plans',
  parent: 'dataset',
  output: {
    id: integer(),
    environment_dataset_plan: association('environment.dataset_plan', 'label', { required: true }),
  },
  actions: { index: index(), show: show({ description: 'Show dataset plan' }), ...planWrites },
};

const time = (value: unknown) => Date.parse(String(value));

/** What the properties of a dataset were. Newest first, and `from_id` nevertheless lists the ids above it. */
export const propertyHistory: ResourceDefinition = {
  description: 'View property history',
  route: 'property_history',
  table: 'property_histories',
  parent: 'dataset',
  output: { id: integer(), name: string(), value: integer(), created_at: datetime() },
  actions: {
    index: index({
      order: byDescendingId,
      paging: { from_id: fromId, limit: limit({ default: 25, fill: true }) },
      filters: {
        from: {
          parameter: datetime(),
          keeps: (row, from) => time(row['created_at']) >= time(from),
        },
        to: { parameter: datetime(), keeps: (row, to) => time(row['created_at']) <= time(to) },
        name: { parameter: string() },
      },
    }),
    show: show(),
  },
};
