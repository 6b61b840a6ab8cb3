// Defines the `create` action of datasets.
import { visibleToOwner } from '../../domain/access.ts';
import { checkSpace } from '../../domain/allocation.ts';
import { checkProperties, isInSubtree, properties } from '../../domain/datasets.ts';
import { conflict, create, inputFields, invalidInput } from '../../domain/write-actions.ts';
import type { LockTarget } from '../../engine/blocking.ts';
import type { ActionDefinition, Call, Fields, Parameters, Row, Value } from '../../engine/definition.ts';
import { association, boolean, string, withFilledDefaults } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** The names of the properties that clients can set. */
export const PROPERTY_NAMES = Object.keys(properties);

/** The properties that clients can set, as input parameters. */
export const propertyInput: Parameters = {
  ...properties,
  sharenfs: string({
    label: 'NFS share',
    description: 'Controls NFS sharing',
    role: 'admin',
    nullable: true,
  }),
};

/** Creates a dataset. Clients can read it before the blocking action ends. */
export const createDataset: ActionDefinition = create({
  description: 'Create a subdataset',
  work: { label: 'Create dataset', total: 4, canCancel: true },
  input: withFilledDefaults({
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
    ...propertyInput,
  }),
  change: planDataset,
});

/** A subdataset inherits the prefix of its name, its owner, environment, pool and VPS from its parent. */
function planDataset(call: Call) {
  const { store, caller, input } = call;
  const top = store.row('datasets', input.get('dataset'));
  const name = [...(top ? [top['name']] : []), input.get('name')].join('/');
  const parentName = name.split('/').slice(0, -1).join('/');
  const parent = store
    .rows('datasets')
    .find(
      (row) =>
        row['name'] === parentName &&
        (top ? isInSubtree(row, top.id, store) : visibleToOwner('user')(caller, row)),
    );
  if (parentName !== '' && !parent) {
    return invalidInput('create failed', { name: `dataset '${parentName}' not found` });
  }
  const user = parent?.['user'] ?? caller?.id ?? null;
  const isNameTaken = store
    .rows('datasets')
    .some((row) => row['name'] === name && (parent ? row['parent'] === parent.id : row['user'] === user));
  if (isNameTaken) return conflict(`dataset '${name}' already exists`);
  const fields: Fields = {
    name,
    parent: parent?.id ?? null,
    user,
    environment: parent?.['environment'] ?? 1,
    pool: parent?.['pool'] ?? 1,
    current_history_id: 0,
    sharenfs: null,
    ...inputFields(call, PROPERTY_NAMES),
    user_namespace_map: chooseNamespaceMap(call, parent),
    used: 0,
    referenced: 0,
    avail: parent?.['avail'] ?? null,
    compressratio: 1,
    refcompressratio: 1,
    vps: parent?.['vps'] ?? null,
    export: null,
    dataset_expansion: null,
  };
  const lockTargets: readonly LockTarget[] = parent ? [['dataset', parent.id]] : [];
  const start = () => {
    const row = store.insert('datasets', fields);
    if (parent && input.get('automount')) mountUnderParent(store, parent, row);
    return row;
  };
  const owner = { user, environment: fields['environment'] };
  return checkProperties(fields) ?? checkSpace(call, owner, fields) ?? { lockTargets, start };
}

/** The mapping in the input of version 5.0 (null means none), otherwise the parent's mapping unless inheriting is turned off. */
function chooseNamespaceMap(call: Call, parent: Row | undefined): Value {
  const { user_namespace_map: requested } = inputFields(call, ['user_namespace_map']);
  if (requested !== undefined) return requested;
  return call.input.get('inherit_user_namespace_map') === false
    ? null
    : (parent?.['user_namespace_map'] ?? null);
}

/** Mounts a new dataset under each mountpoint of its parent. */
function mountUnderParent(store: Store, parent: Row, row: Row): void {
  for (const mount of store.rows('mounts').filter(({ dataset }) => dataset === parent.id)) {
    const mountpoint = `${mount['mountpoint']}/${String(row['name']).split('/').at(-1)}`;
    store.insert('mounts', { ...mount, dataset: row.id, mountpoint });
  }
}
