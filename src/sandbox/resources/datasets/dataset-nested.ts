import { byDescendingId, type IndexOptions, index, show } from '../../actions/actions.ts';
import { timestamp } from '../../actions/running-actions.ts';
import { changeDataset } from '../../domain/datasets.ts';
import {
  conflict,
  create,
  insertRow,
  invalid,
  isTaken,
  onRow,
  remove,
  removeRow,
} from '../../domain/write-actions.ts';
import type { Thing } from '../../engine/blocking.ts';
import type { Failure, ResourceDefinition, Row } from '../../engine/definition.ts';
import { association, datetime, fromId, integer, limit, string } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** Snapshots of a dataset. A new one is there at once; one is gone when the action has succeeded. */
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
    create: create({
      description: 'Create snapshot',
      work: { label: 'Snapshot', total: 5, canCancel: true },
      input: { label: string({ label: 'Label' }) },
      change: ({ store, input }, dataset) => ({
        touches: lockOf(dataset),
        now: () => insertSnapshot(store, dataset, input.get('label')),
      }),
    }),
    delete: remove({
      description: 'Destroy a snapshot',
      work: { label: 'Destroy snapshot', total: 3 },
      change: (call, row) => ({
        touches: [['dataset', Number(row['dataset'])]],
        ...removeRow(call, row),
      }),
    }),
    rollback: onRow({
      description: 'Rollback to a snapshot',
      route: '/rollback',
      work: { label: 'Rollback', total: 6 },
      output: {},
      change: ({ store }, row) => ({
        touches: [['dataset', Number(row['dataset'])]],
        end: () => rollBack(store, row),
      }),
    }),
  },
};

const assignedPlan = association('environment.dataset_plan', 'label', { required: true });

/** Dataset plans assigned to a dataset. */
export const plan: ResourceDefinition = {
  description: 'Manage dataset plans',
  table: 'plans',
  parent: 'dataset',
  output: {
    id: integer(),
    environment_dataset_plan: assignedPlan,
  },
  actions: {
    index: index(),
    show: show({ description: 'Show dataset plan' }),
    create: create({
      description: 'Assign new dataset plan',
      input: { environment_dataset_plan: assignedPlan },
      change(call, dataset) {
        const { store, caller, input } = call;
        const wanted = store.row('environment_dataset_plans', input.get('environment_dataset_plan'));
        if (wanted?.['environment'] !== dataset?.['environment'])
          return invalid('create failed', {
            environment_dataset_plan: "is not of the dataset's environment",
          });
        if (!caller?.admin && !wanted?.['user_add']) return notYours('added');
        const fields = { dataset: dataset?.id ?? null, environment_dataset_plan: wanted?.id ?? null };
        if (isTaken(call, fields)) return conflict(`dataset '${dataset?.['name']}' already has the plan`);
        return { touches: lockOf(dataset), ...insertRow(call, fields) };
      },
    }),
    delete: remove({
      description: 'Remove dataset plan',
      change(call, row) {
        const { store, caller } = call;
        const assigned = store.row('environment_dataset_plans', row['environment_dataset_plan']);
        if (!caller?.admin && !assigned?.['user_remove']) return notYours('removed');
        const touches: readonly Thing[] = [['dataset', Number(row['dataset'])]];
        return { touches, ...removeRow(call, row) };
      },
    }),
  },
};

const time = (value: unknown) => Date.parse(String(value));

/** How the list of a property history reads. */
export const historyList: IndexOptions = {
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
};

/** What the properties of a dataset were. Newest first, and `from_id` nevertheless lists the ids above it. */
export const propertyHistory: ResourceDefinition = {
  description: 'View property history',
  route: 'property_history',
  table: 'property_histories',
  parent: 'dataset',
  output: { id: integer(), name: string(), value: integer(), created_at: datetime() },
  actions: {
    index: index(historyList),
    show: show(),
  },
};

function lockOf(dataset: Row | undefined): readonly Thing[] {
  return dataset ? [['dataset', dataset.id]] : [];
}

function notYours(done: string): Failure {
  return { ok: false, message: `Access denied: this plan cannot be ${done} by users`, http: 403 };
}

function insertSnapshot(store: Store, dataset: Row | undefined, label: unknown): Row {
  const created_at = timestamp();
  return store.insert('snapshots', {
    dataset: dataset?.id ?? null,
    name: created_at.slice(0, 19),
    label: typeof label === 'string' ? label : null,
    created_at,
    history_id: dataset?.['current_history_id'] ?? 0,
    mount: null,
    export: null,
  });
}

/** Newer snapshots go, and with them the space that only they held. */
function rollBack(store: Store, { id, dataset }: Row): void {
  for (const newer of store.rows('snapshots')) {
    if (newer['dataset'] === dataset && newer.id > id) store.remove('snapshots', newer.id);
  }
  const used = store.row('datasets', dataset)?.['referenced'];
  if (used !== undefined) changeDataset(store, Number(dataset), { used });
}
