// Defines the write actions of datasets.
import { checkSpace, LOCK_TYPES, lockColumns } from '../../domain/allocation.ts';
import { removeWithDependents } from '../../domain/cascade.ts';
import { changeDataset, checkProperties, findSubtreeLockTargets, properties } from '../../domain/datasets.ts';
import { inputFields, invalidInput, remove, rowAction, update } from '../../domain/write-actions.ts';
import type { ActionDefinition, Fields } from '../../engine/definition.ts';
import { boolean, choice, string } from '../../engine/parameters.ts';
import { createDataset, PROPERTY_NAMES, propertyInput } from './dataset-create.ts';
import { migrateDataset } from './dataset-migration.ts';

/** The values that a dataset without a parent inherits. */
const PROPERTY_DEFAULTS: Fields = Object.fromEntries(
  Object.entries(properties).map(([name, parameter]) => [
    name,
    parameter.type === 'Resource' ? null : (parameter.default ?? null),
  ]),
);

/** Writes of datasets. Clients can read a new dataset at once. Other changes apply when the action succeeds. */
export const datasetWrites: Readonly<Record<string, ActionDefinition>> = {
  create: createDataset,
  update: update({
    description: 'Update a dataset',
    work: { label: 'Update dataset', total: 2 },
    output: {},
    input: {
      ...propertyInput,
      admin_override: boolean({
        label: 'Admin override',
        description: 'Make it possible to assign more resource than the user actually has',
        role: 'admin',
      }),
      admin_lock_type: choice(LOCK_TYPES, {
        label: 'Admin lock type',
        description: 'How is the admin lock enforced',
        role: 'admin',
      }),
    },
    change(call, row) {
      const { store, caller, input } = call;
      const wanted = inputFields(call, PROPERTY_NAMES);
      const lock = caller?.admin ? lockColumns(input.get('admin_lock_type'), row, wanted) : {};
      const changes = { ...wanted, ...lock };
      const isUnchanged = Object.entries(changes).every(([name, value]) => row[name] === value);
      const failure = checkProperties(wanted) ?? checkSpace(call, row, wanted);
      return failure ?? { isUnchanged, onSuccess: () => changeDataset(store, row.id, changes) };
    },
  }),
  delete: remove({
    description: 'Destroy a dataset with all its subdatasets and snapshots',
    work: { label: 'Delete dataset', total: 5 },
    change: ({ store }, row) => ({
      lockTargets: findSubtreeLockTargets(store, row),
      onSuccess: () => removeWithDependents(store, 'datasets', row.id),
    }),
  }),
  inherit: rowAction({
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
      const unknown = names.find((name) => !PROPERTY_NAMES.includes(name));
      if (unknown !== undefined)
        return invalidInput('inheritance failed', { property: `'${unknown}' is not a property` });
      const parent = store.row('datasets', row['parent']) ?? PROPERTY_DEFAULTS;
      const inherited = Object.fromEntries(names.map((name) => [name, parent[name] ?? null]));
      return checkSpace(call, row, inherited) ?? { onSuccess: () => changeDataset(store, row.id, inherited) };
    },
  }),
  migrate: migrateDataset,
};
