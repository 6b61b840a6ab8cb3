// Defines the resources nested in datasets: snapshots, plans and the property history.
import { type IndexOptions, index, show } from '../../actions/actions.ts';
import { timestamp } from '../../actions/running-actions.ts';
import { changeDataset } from '../../domain/datasets.ts';
import {
  conflict,
  create,
  insertRow,
  invalidInput,
  isTaken,
  remove,
  removeRow,
  rowAction,
} from '../../domain/write-actions.ts';
import type { LockTarget } from '../../engine/blocking.ts';
import type { Failure, ResourceDefinition, Row } from '../../engine/definition.ts';
import { byDescendingId } from '../../engine/lists.ts';
import { association, datetime, fromId, integer, limit, string } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** Snapshots of a dataset. Clients can read a new snapshot at once. A deleted snapshot disappears when the action succeeds. */
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
        lockTargets: datasetLockTargets(dataset),
        start: () => insertSnapshot(store, dataset, input.get('label')),
      }),
    }),
    delete: remove({
      description: 'Destroy a snapshot',
      work: { label: 'Destroy snapshot', total: 3 },
      change: (call, row) => ({
        lockTargets: [['dataset', Number(row['dataset'])]],
        ...removeRow(call, row),
      }),
    }),
    rollback: rowAction({
      description: 'Rollback to a snapshot',
      route: '/rollback',
      work: { label: 'Rollback', total: 6 },
      output: {},
      change: ({ store }, row) => ({
        lockTargets: [['dataset', Number(row['dataset'])]],
        onSuccess: () => rollBack(store, row),
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
        const environmentPlan = store.row('environment_dataset_plans', input.get('environment_dataset_plan'));
        if (environmentPlan?.['environment'] !== dataset?.['environment'])
          return invalidInput('create failed', {
            environment_dataset_plan: "does not belong to the dataset's environment",
          });
        if (!caller?.admin && !environmentPlan?.['user_add']) return accessDenied('added');
        const fields = {
          dataset: dataset?.id ?? null,
          environment_dataset_plan: environmentPlan?.id ?? null,
        };
        if (isTaken(call, fields)) return conflict(`dataset '${dataset?.['name']}' already has the plan`);
        return { lockTargets: datasetLockTargets(dataset), ...insertRow(call, fields) };
      },
    }),
    delete: remove({
      description: 'Remove dataset plan',
      change(call, row) {
        const { store, caller } = call;
        const environmentPlan = store.row('environment_dataset_plans', row['environment_dataset_plan']);
        if (!caller?.admin && !environmentPlan?.['user_remove']) return accessDenied('removed');
        const lockTargets: readonly LockTarget[] = [['dataset', Number(row['dataset'])]];
        return { lockTargets, ...removeRow(call, row) };
      },
    }),
  },
};

const parseTime = (value: unknown) => Date.parse(String(value));

/** How the list of a property history reads. */
export const historyList: IndexOptions = {
  order: byDescendingId,
  pagingParameters: { from_id: fromId, limit: limit({ default: 25, fillsDefault: true }) },
  filters: {
    from: {
      parameter: datetime(),
      matches: (row, from) => parseTime(row['created_at']) >= parseTime(from),
    },
    to: { parameter: datetime(), matches: (row, to) => parseTime(row['created_at']) <= parseTime(to) },
    name: { parameter: string() },
  },
};

/** Past values of a dataset's properties. The list is sorted newest first, but `from_id` lists higher ids. */
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

function datasetLockTargets(dataset: Row | undefined): readonly LockTarget[] {
  return dataset ? [['dataset', dataset.id]] : [];
}

function accessDenied(operation: string): Failure {
  return { ok: false, message: `Access denied: this plan cannot be ${operation} by users`, httpStatus: 403 };
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

/** Removes the newer snapshots and the space that only those snapshots use. */
function rollBack(store: Store, { id, dataset }: Row): void {
  for (const newer of store.rows('snapshots')) {
    if (newer['dataset'] === dataset && newer.id > id) store.remove('snapshots', newer.id);
  }
  const used = store.row('datasets', dataset)?.['referenced'];
  if (used !== undefined) changeDataset(store, Number(dataset), { used });
}
