import type { ActionDefinition, Call, Failure, Fields, Parameters, Row } from '../definition.ts';
import { association, boolean, choice, integer, string } from '../parameters.ts';
import type { Store } from '../store.ts';
import { act, type Begun, conflict, create, filled, lockName, remove, update } from '../writes.ts';

const nameFormat = {
  rx: '\\A[a-zA-Z0-9][a-zA-Z0-9_\\-:./]{0,254}\\z',
  message: "'%{value}' is not a valid dataset name",
};

/** Work on a dataset, which nobody else may write meanwhile. */
function on(row: Row, work: Omit<Begun, 'locks'> & { readonly more?: readonly string[] }): Begun {
  const { more = [], ...rest } = work;
  return { ...rest, locks: [lockName('datasets', row.id), ...more] };
}

/** A dataset and all below it. */
function subtree(store: Store, top: Row): readonly Row[] {
  const below = store.rows('datasets').filter((row) => row['parent'] === top.id);
  return [top, ...below.flatMap((row) => subtree(store, row))];
}

/** The writes of datasets; `properties` are those of their output. */
export function datasetWrites(properties: Parameters): Readonly<Record<string, ActionDefinition>> {
  const settings = Object.fromEntries(
    Object.entries(properties).map(([name, parameter]) => [
      name,
      { ...parameter, nullable: name === 'sharenfs' },
    ]),
  ) as Parameters;
  return {
    create: create({
      description: 'Create a subdataset',
      parameters: filled({
        name: string({ label: 'Name', required: true, validators: { format: nameFormat } }),
        dataset: association('dataset', 'name', { label: 'Parent dataset', nullable: true }),
        automount: boolean({
          label: 'Automount',
          description: 'Automatically mount newly created datasets under all its parents',
          default: false,
        }),
        ...settings,
      }),
      locks: ({ input }) => [lockName('datasets', input.get('dataset') ?? '')],
      check: (call) => clashOf(call),
      values: (call, given) => valuesOf(call, given),
      work: ({ store }, row) =>
        on(row, {
          label: 'Create dataset',
          total: 4,
          cancellable: true,
          more: row['parent'] === null ? [] : [lockName('datasets', row['parent'])],
          undo: () => void store.remove('datasets', ({ id }) => id === row.id),
        }),
    }),
    update: update({
      description: 'Update a dataset',
      parameters: {
        ...settings,
        admin_override: boolean({
          label: 'Admin override',
          description: 'Allow assigning more resources than the user has',
          role: 'admin',
        }),
        admin_lock_type: choice(['no_lock', 'absolute', 'not_less', 'not_more'], {
          label: 'Admin lock type',
          description: 'How the lock of the administrator is enforced',
          role: 'admin',
        }),
      },
      silent: true,
      work: (_call, row) => on(row, { label: 'Update dataset', total: 2, cancellable: false }),
    }),
    delete: remove({
      description: 'Destroy a dataset with all its subdatasets and snapshots',
      work: ({ store }, row) =>
        on(row, {
          label: 'Destroy dataset',
          total: 3,
          cancellable: false,
          more: subtree(store, row).map(({ id }) => lockName('datasets', id)),
        }),
      cascade: ({ store }, row) => {
        const gone = new Set(subtree(store, row).map(({ id }) => id));
        store.remove('snapshots', (snapshot) => gone.has(Number(snapshot['dataset'])));
        store.remove('datasets', ({ id }) => gone.has(id));
      },
    }),
    inherit: act('inherit', {
      description: 'Inherit properties of the parent dataset',
      parameters: {
        property: string({ label: 'Property', description: 'Names separated by commas', required: true }),
      },
      check: ({ input }) => unknownProperty(String(input.get('property')), properties),
      work: ({ store, input }, row) =>
        on(row, {
          label: 'Inherit properties',
          total: 2,
          cancellable: false,
          succeed: () =>
            store.update('datasets', row.id, inherited(store, row, String(input.get('property')))),
        }),
    }),
    migrate: act('migrate', {
      description: 'Migrate dataset to another pool',
      role: 'admin',
      parameters: migration,
      work: ({ store, input }, row) =>
        on(row, {
          label: 'Migrate dataset',
          total: 6,
          cancellable: true,
          succeed: () => store.update('datasets', row.id, { pool: Number(input.get('pool')) }),
        }),
    }),
  };
}

const migration = filled({
  pool: association('pool', 'name', { label: 'Pool', description: 'Target pool', required: true }),
  maintenance_window_vps: association('vps', 'hostname', {
    label: 'Maintenance window VPS',
    description: 'Migrate inside the nearest maintenance window of this VPS',
  }),
  rsync: boolean({ label: 'Use rsync', description: 'In place of zfs send and recv', default: false }),
  restart_vps: boolean({
    label: 'Restart VPS',
    description: 'Those that mount migrated exports',
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
    description: 'Use the window only if the dataset has exports',
    default: true,
  }),
  cleanup_data: boolean({
    label: 'Cleanup data',
    description: 'Remove the dataset from the source pool',
    default: true,
  }),
  send_mail: boolean({ label: 'Send e-mails', description: 'Inform the owner of progress', default: true }),
  reason: string({ label: 'Reason' }),
});

/** The full name that a new dataset will have. */
function fullName({ input, store }: Call): string {
  const parent = store.row('datasets', input.get('dataset'));
  const name = String(input.get('name'));
  return parent === undefined ? name : `${String(parent['name'])}/${name}`;
}

function clashOf(call: Call): Failure | null {
  const name = fullName(call);
  const { caller, store } = call;
  const owner = store.row('datasets', call.input.get('dataset'))?.['user'] ?? caller?.id;
  const isTaken = store.rows('datasets').some((row) => row['name'] === name && row['user'] === owner);
  return isTaken ? conflict(`dataset '${name}' already exists`) : null;
}

function valuesOf(call: Call, { name: _name, dataset, automount: _automount, ...given }: Fields): Fields {
  const parent = call.store.row('datasets', dataset);
  return {
    ...given,
    name: fullName(call),
    parent: parent?.id ?? null,
    user: parent?.['user'] ?? call.caller?.id ?? null,
    environment: parent?.['environment'] ?? 1,
    pool: parent?.['pool'] ?? 1,
    current_history_id: 0,
    used: 0,
    referenced: 0,
    avail: parent?.['avail'] ?? null,
    compressratio: 1,
    refcompressratio: 1,
    vps: null,
    export: null,
    dataset_expansion: null,
  };
}

const namesIn = (list: string): readonly string[] => list.split(',').map((name) => name.trim());

function unknownProperty(list: string, properties: Parameters): Failure | null {
  const unknown = namesIn(list).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return null;
  return {
    ok: false,
    message: 'input parameters are not valid',
    errors: { property: [`property '${unknown}' does not exist`] },
  };
}

function inherited(store: Store, row: Row, list: string): Fields {
  const parent = store.row('datasets', row['parent']);
  return Object.fromEntries(namesIn(list).map((name) => [name, parent?.[name] ?? null]));
}

/** The writes of snapshots. */
export const snapshotWrites: Readonly<Record<string, ActionDefinition>> = {
  create: create({
    description: 'Create snapshot',
    parameters: { label: string({ label: 'Label', nullable: true }) },
    values: (_call, { label }) => {
      const created_at = `${new Date().toISOString().slice(0, 19)}+00:00`;
      return {
        name: created_at.slice(0, 19),
        label: label ?? null,
        created_at,
        history_id: 0,
        mount: null,
        export: null,
      };
    },
    work: ({ store }, row) => ({
      label: 'Create snapshot',
      total: 4,
      cancellable: true,
      locks: [lockName('datasets', row['dataset'])],
      undo: () => void store.remove('snapshots', ({ id }) => id === row.id),
    }),
  }),
  delete: remove({
    description: 'Destroy snapshot',
    work: (_call, row) => ({
      label: 'Destroy snapshot',
      total: 3,
      cancellable: false,
      locks: [lockName('datasets', row['dataset']), lockName('snapshots', row.id)],
    }),
  }),
  rollback: act('rollback', {
    description: 'Rollback to a snapshot',
    work: ({ store }, row) => ({
      label: 'Rollback dataset',
      total: 5,
      cancellable: false,
      locks: [lockName('datasets', row['dataset'])],
      // Snapshots that came after the one rolled back to are gone.
      succeed: () =>
        void store.remove('snapshots', (other) => other['dataset'] === row['dataset'] && other.id > row.id),
    }),
  }),
};

/** The writes of plans of a dataset. */
export const planWrites: Readonly<Record<string, ActionDefinition>> = {
  create: create({
    description: 'Assign a dataset plan',
    parameters: {
      environment_dataset_plan: association('environment.dataset_plan', 'label', { required: true }),
    },
    check: ({ store, pathParams, input }) =>
      store
        .rows('plans')
        .some(
          (plan) =>
            plan['dataset'] === Number(pathParams[0]) &&
            plan['environment_dataset_plan'] === input.get('environment_dataset_plan'),
        )
        ? conflict('the dataset has this plan already')
        : null,
    values: (_call, given) => given,
  }),
  delete: remove({ description: 'Remove a dataset plan' }),
};
