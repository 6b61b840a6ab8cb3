import { lockColumns, lockTypes, refusesSpace } from '../allocation.ts';
import type { Thing } from '../blocking.ts';
import { removeWithDependents } from '../cascade.ts';
import { changeDataset, properties, refusesProperties, subtree } from '../datasets.ts';
import type { ActionDefinition, Fields, Parameters, Row } from '../definition.ts';
import { association, boolean, choice, filled, integer, string } from '../parameters.ts';
import type { Store } from '../store.ts';
import { conflict, given, invalid, onRow, remove, update } from '../writes.ts';
import { createDataset, settable, settings } from './dataset-create.ts';

const migration: Parameters = {
  pool: association('pool', 'name', { label: 'Pool', description: 'Target pool', required: true }),
  maintenance_window_vps: association('vps', 'hostname', {
    label: 'Maintenance window VPS',
    description: "Migrate within this VPS's nearest maintenance window",
  }),
  rsync: boolean({ label: 'Use rsync', description: 'Use rsync instead of zfs send/recv', default: false }),
  restart_vps: boolean({
    label: 'Restart VPS',
    description: 'Restart VPSes that mount exports of the migrated datasets',
    default: false,
  }),
  finish_weekday: integer({
    label: 'Finish weekday',
    description: 'Prepare the migration and finish it on this day',
    validators: { number: { min: 0, max: 6 } },
  }),
  finish_minutes: integer({
    label: 'Finish minutes',
    description: 'Minutes after midnight at which the migration finishes',
    validators: { number: { min: 0, max: 1410 } },
  }),
  optional_maintenance_window: boolean({
    label: 'Optional maintenance window',
    description: 'Use the maintenance window only if the dataset has exports',
    default: true,
  }),
  cleanup_data: boolean({
    label: 'Cleanup data',
    description: 'Remove the dataset from the source pool',
    default: true,
  }),
  send_mail: boolean({ label: 'Send e-mails', description: 'Inform the owner of progress', default: true }),
  reason: string({ label: 'Reason' }),
};

/** Writes of datasets. A new one is there at once; everything else happens when the action succeeds. */
export const datasetWrites: Readonly<Record<string, ActionDefinition>> = {
  create: createDataset,
  update: update({
    description: 'Update a dataset',
    work: { label: 'Update dataset', total: 2 },
    output: {},
    input: {
      ...settings,
      admin_override: boolean({
        label: 'Admin override',
        description: 'Make it possible to assign more resource than the user actually has',
        role: 'admin',
      }),
      admin_lock_type: choice(lockTypes, {
        label: 'Admin lock type',
        description: 'How is the admin lock enforced',
        role: 'admin',
      }),
    },
    change(call, row) {
      const { store, caller, input } = call;
      const wanted = given(call, settable);
      const lock = caller?.admin ? lockColumns(input.get('admin_lock_type'), row, wanted) : {};
      const changes = { ...wanted, ...lock };
      const idle = Object.entries(changes).every(([name, value]) => row[name] === value);
      const refused = refusesProperties(wanted) ?? refusesSpace(call, row, wanted);
      return refused ?? { idle, end: () => changeDataset(store, row.id, changes) };
    },
  }),
  delete: remove({
    description: 'Destroy a dataset with all its subdatasets and snapshots',
    work: { label: 'Delete dataset', total: 5 },
    change: ({ store }, row) => ({
      touches: lockAll(store, row),
      end: () => removeWithDependents(store, 'datasets', row.id),
    }),
  }),
  inherit: onRow({
    description: 'Inherit dataset property',
    route: '/inherit',
    work: { label: 'Inherit properties', total: 2 },
    output: {},
    input: {
      property: string({
        label: 'Property',
        description:
          'Name of property to inherit from parent, multiple properties may be separated by a comma',
        required: true,
      }),
    },
    change(call, row) {
      const { store, input } = call;
      const names = String(input.get('property'))
        .split(',')
        .map((name) => name.trim());
      const unknown = names.find((name) => !settable.includes(name));
      if (unknown !== undefined)
        return invalid('inheritance failed', { property: `'${unknown}' is not a property` });
      const parent = store.row('datasets', row['parent']) ?? defaults;
      const inherited = Object.fromEntries(names.map((name) => [name, parent[name] ?? null]));
      return refusesSpace(call, row, inherited) ?? { end: () => changeDataset(store, row.id, inherited) };
    },
  }),
  migrate: onRow({
    description: 'Migrate dataset',
    route: '/migrate',
    role: 'admin',
    work: { label: 'Migrate dataset', total: 12, canCancel: true },
    output: {},
    input: filled(migration),
    change({ store, input }, row) {
      const pool = Number(input.get('pool'));
      if (row['pool'] === pool) return conflict(`dataset '${row['name']}' is already on this pool`);
      return {
        touches: lockAll(store, row),
        end() {
          for (const { id } of subtree(store, row)) store.update('datasets', id, { pool });
        },
      };
    },
  }),
};

const defaults: Fields = Object.fromEntries(
  Object.entries(properties).map(([name, parameter]) => [
    name,
    parameter.type === 'Resource' ? null : (parameter.default ?? null),
  ]),
);

function lockAll(store: Store, top: Row): readonly Thing[] {
  return subtree(store, top).map(({ id }) => ['dataset', id]);
}
