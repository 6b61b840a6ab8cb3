// Defines the write actions of dataset expansions and of their history.
import { timestamp } from '../../actions/running-actions.ts';
import { findDiskspace } from '../../domain/allocation.ts';
import { checkAmount } from '../../domain/amount.ts';
import { changeDataset } from '../../domain/datasets.ts';
import {
  type Change,
  conflict,
  create,
  inputFields,
  invalidInput,
  update,
  updateRow,
  write,
} from '../../domain/write-actions.ts';
import type { LockTarget } from '../../engine/blocking.ts';
import type { ActionDefinition, Call, Failure, Parameters, Row } from '../../engine/definition.ts';
import { association, boolean, integer } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** The settings of an expansion that clients can read and set. */
export const expansionSettings: Parameters = {
  enable_notifications: boolean({
    label: 'Enable notifications',
    description: 'Send emails about the expansion',
  }),
  enable_shrink: boolean({
    label: 'Enable shrink',
    description: 'Automatically shrink the dataset when possible',
  }),
  stop_vps: boolean({
    label: 'Shutdown VPS',
    description: 'Shut down the VPS after extra space is used too long or there are too many expansions',
  }),
};

/** How long a dataset may exceed its original reference quota, in seconds. */
export const maxOverRefquotaSeconds = integer();

const settings: Parameters = {
  ...expansionSettings,
  max_over_refquota_seconds: { ...maxOverRefquotaSeconds, nullable: true },
};

/** The added space in MiB. */
export const addedSpace = integer({ label: 'Added space' });

const datasetInput = association('dataset', 'name');
const addedSpaceInput = { ...addedSpace, validators: { number: { min: 1 } } };
const DEFAULT_SETTINGS = { enable_notifications: true, enable_shrink: true, stop_vps: false };

/** Writes of dataset expansions. Clients can read a new expansion at once. Its space is added when the action succeeds. */
export const expansionWrites: Readonly<Record<string, ActionDefinition>> = {
  create: create({
    description: 'Create a dataset expansion',
    role: 'admin',
    work: { label: 'Expand dataset', total: 5 },
    input: { dataset: datasetInput, added_space: addedSpaceInput, ...settings },
    change(call) {
      const dataset = call.store.row('datasets', call.input.get('dataset'));
      const added = call.input.get('added_space');
      if (!dataset) return invalidInput('create failed', { dataset_id: 'must exist' });
      if (typeof added !== 'number') return invalidInput('create failed', { added_space: "can't be blank" });
      if (isUnlimited(dataset)) return unlimited;
      return expand(call, dataset, { original: Number(dataset['refquota']), added });
    },
  }),
  register_expanded: write({
    description: 'Create a dataset expansion for an already expanded dataset',
    route: '/register_expanded',
    role: 'admin',
    input: {
      dataset: datasetInput,
      original_refquota: integer({
        label: 'Original reference quota',
        validators: { number: { min: 1 } },
      }),
      ...settings,
    },
    change(call) {
      const dataset = call.store.row('datasets', call.input.get('dataset'));
      if (!dataset) return invalidInput('create failed', { dataset_id: 'must exist' });
      const original = call.input.get('original_refquota');
      const added = Number(dataset['refquota']) - Number(original ?? Number.NaN);
      if (isUnlimited(dataset)) return unlimited;
      if (!(added > 0) || typeof original !== 'number') {
        return invalidInput('create failed', { original_refquota: 'must be less than the reference quota' });
      }
      return expand(call, dataset, { original, added });
    },
  }),
  update: update({
    description: 'Update a dataset expansion',
    role: 'admin',
    input: settings,
    change: updateRow,
  }),
};

/** Adds space to an active expansion. */
export const createHistory: ActionDefinition = create({
  description: 'Add extra space to the dataset',
  role: 'admin',
  work: { label: 'Add space to dataset', total: 5 },
  input: { added_space: addedSpaceInput },
  change(call, expansion) {
    const { store, input } = call;
    const added = input.get('added_space');
    const dataset = store.row('datasets', expansion?.['dataset']);
    if (!expansion || !dataset || expansion['state'] !== 'active')
      return conflict('the expansion is resolved');
    if (typeof added !== 'number') return invalidInput('create failed', { added_space: "can't be blank" });
    if (isUnlimited(dataset)) return unlimited;
    const original = Number(dataset['refquota']);
    return (
      checkTotal(store, original + added) ?? {
        lockTargets: [
          ['dataset_expansion', expansion.id],
          ['dataset', dataset.id],
        ],
        start: () => insertHistory(call, expansion.id, { original, added }),
        onSuccess() {
          const total = Number(store.row('dataset_expansions', expansion.id)?.['added_space']) + added;
          store.update('dataset_expansions', expansion.id, { added_space: total });
          changeDataset(store, dataset.id, { refquota: original + added });
        },
      }
    );
  },
});

/** A reference quota of 0 means unlimited, so adding space to it would limit the dataset instead of expanding it. */
const isUnlimited = ({ refquota }: Row): boolean => !refquota;
const unlimited = invalidInput('create failed', {
  dataset: 'has no reference quota to expand',
});

/** Administrators may exceed the owner's space, but not the bounds of the cluster resource. */
const checkTotal = (store: Store, total: number) => checkAmount(findDiskspace(store), total, 'added_space');

interface Space {
  readonly original: number;
  readonly added: number;
}

function expand(call: Call, dataset: Row, amount: Space): Change | Failure {
  const { store } = call;
  const { original, added } = amount;
  const isExpanded = store
    .rows('dataset_expansions')
    .some((row) => row['dataset'] === dataset.id && row['state'] === 'active');
  if (isExpanded) return conflict(`dataset '${dataset['name']}' is already expanded`);
  const start = () => {
    const row = store.insert('dataset_expansions', {
      vps: dataset['vps'],
      dataset: dataset.id,
      state: 'active',
      original_refquota: original,
      added_space: added,
      ...DEFAULT_SETTINGS,
      over_refquota_seconds: 0,
      max_over_refquota_seconds: 2_592_000,
      created_at: timestamp(),
      ...inputFields(call, Object.keys(settings)),
    });
    insertHistory(call, row.id, amount);
    store.update('datasets', dataset.id, { dataset_expansion: row.id });
    return row;
  };
  const onSuccess = () => changeDataset(store, dataset.id, { refquota: original + added });
  const lockTargets: readonly LockTarget[] = [['dataset', dataset.id]];
  return checkTotal(store, original + added) ?? { lockTargets, start, onSuccess };
}

function insertHistory({ store, caller }: Call, expansion: number, { original, added }: Space): Row {
  return store.insert('expansion_histories', {
    dataset_expansion: expansion,
    added_space: added,
    original_refquota: original,
    new_refquota: original + added,
    created_at: timestamp(),
    admin: caller?.id ?? null,
  });
}
