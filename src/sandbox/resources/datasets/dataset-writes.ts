import { lockColumns, lockTypes, refusesSpace } from '../../domain/allocation.ts';
import { removeWithDependents } from '../../domain/cascade.ts';
import { changeDataset, lockSubtree, properties, refusesProperties } from '../../domain/datasets.ts';
import { given, invalid, onRow, remove, update } from '../../domain/write-actions.ts';
import type { ActionDefinition, Fields } from '../../engine/definition.ts';
import { boolean, choice, string } from '../../engine/parameters.ts';
import { createDataset, settable, settings } from './dataset-create.ts';
import { migrateDataset } from './dataset-migration.ts';

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
      touches: lockSubtree(store, row),
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
  migrate: migrateDataset,
};

const defaults: Fields = Object.fromEntries(
  Object.entries(properties).map(([name, parameter]) => [
    name,
    parameter.type === 'Resource' ? null : (parameter.default ?? null),
  ]),
);
