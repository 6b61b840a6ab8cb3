import { owns } from '../../domain/access.ts';
import { refusesSpace } from '../../domain/allocation.ts';
import { isWithin, properties, refusesProperties } from '../../domain/datasets.ts';
import { conflict, create, given, invalid } from '../../domain/write-actions.ts';
import type { Thing } from '../../engine/blocking.ts';
import type { ActionDefinition, Call, Fields, Parameters, Row, Value } from '../../engine/definition.ts';
import { association, boolean, filled, string } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** Names of what can be set of a dataset. */
export const settable = Object.keys(properties);

/** What can be set of a dataset, as input. */
export const settings: Parameters = {
  ...properties,
  sharenfs: string({
    label: 'NFS share',
    description: 'Controls NFS sharing',
    role: 'admin',
    nullable: true,
  }),
};

/** A new dataset is there at once. */
export const createDataset: ActionDefinition = create({
  description: 'Create a subdataset',
  work: { label: 'Create dataset', total: 4, canCancel: true },
  input: filled({
    name: string({
      label: 'Name',
      required: true,
      validators: {
        present: {},
        format: {
          rx: '\\A[a-zA-Z0-9][a-zA-Z0-9_\\-:./]{0,254}\\z',
          message: "'%{value}' is not a valid dataset name",
        },
      },
    }),
    dataset: association('dataset', 'name', { label: 'Parent dataset' }),
    automount: boolean({
      label: 'Automount',
      description: 'Automatically mount newly created datasets under all its parents',
      default: false,
    }),
    ...settings,
  }),
  change: planDataset,
});

/** Below a parent the name goes on from the parent's, and so do owner, environment, pool and VPS. */
function planDataset(call: Call) {
  const { store, caller, input } = call;
  const top = store.row('datasets', input.get('dataset'));
  const name = [...(top ? [top['name']] : []), input.get('name')].join('/');
  const above = name.split('/').slice(0, -1).join('/');
  const parent = store
    .rows('datasets')
    .find((row) => row['name'] === above && (top ? isWithin(row, top.id, store) : owns('user')(caller, row)));
  if (above !== '' && !parent) return invalid('create failed', { name: `dataset '${above}' not found` });
  const user = parent?.['user'] ?? caller?.id ?? null;
  const taken = store
    .rows('datasets')
    .some((row) => row['name'] === name && (parent ? row['parent'] === parent.id : row['user'] === user));
  if (taken) return conflict(`dataset '${name}' already exists`);
  const fields: Fields = {
    name,
    parent: parent?.id ?? null,
    user,
    environment: parent?.['environment'] ?? 1,
    pool: parent?.['pool'] ?? 1,
    current_history_id: 0,
    sharenfs: null,
    ...given(call, settable),
    user_namespace_map: mapOf(call, parent),
    used: 0,
    referenced: 0,
    avail: parent?.['avail'] ?? null,
    compressratio: 1,
    refcompressratio: 1,
    vps: parent?.['vps'] ?? null,
    export: null,
    dataset_expansion: null,
  };
  const touches: readonly Thing[] = parent ? [['dataset', parent.id]] : [];
  const now = () => {
    const row = store.insert('datasets', fields);
    if (parent && input.get('automount')) mountBelow(store, parent, row);
    return row;
  };
  const owned = { user, environment: fields['environment'] };
  return refusesProperties(fields) ?? refusesSpace(call, owned, fields) ?? { touches, now };
}

/** The mapping that version 5.0 was given, null being none, else the parent's, unless that was not wanted. */
function mapOf(call: Call, parent: Row | undefined): Value {
  const { user_namespace_map: asked } = given(call, ['user_namespace_map']);
  if (asked !== undefined) return asked;
  return call.input.get('inherit_user_namespace_map') === false
    ? null
    : (parent?.['user_namespace_map'] ?? null);
}

/** Wherever the parent is mounted, the new dataset is mounted in it. */
function mountBelow(store: Store, parent: Row, row: Row): void {
  for (const mount of store.rows('mounts').filter(({ dataset }) => dataset === parent.id)) {
    const mountpoint = `${mount['mountpoint']}/${String(row['name']).split('/').at(-1)}`;
    store.insert('mounts', { ...mount, dataset: row.id, mountpoint });
  }
}
