import { timestamp } from '../../actions/running-actions.ts';
import { diskspace } from '../../domain/allocation.ts';
import { refusesAmount } from '../../domain/amount.ts';
import { changeDataset } from '../../domain/datasets.ts';
import {
  type Change,
  conflict,
  create,
  given,
  invalid,
  update,
  updateRow,
  write,
} from '../../domain/write-actions.ts';
import type { Thing } from '../../engine/blocking.ts';
import type { ActionDefinition, Call, Failure, Parameters, Row } from '../../engine/definition.ts';
import { association, boolean, integer } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

/** What can be set of any expansion. */
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

/** For how long it may last. */
export const longest = integer();

const settings: Parameters = {
  ...expansionSettings,
  max_over_refquota_seconds: { ...longest, nullable: true },
};

/** How much space was added. */
export const addedSpace = integer({ label: 'Added space' });

const expanded = association('dataset', 'name');
const space = { ...addedSpace, validators: { number: { min: 1 } } };
const defaults = { enable_notifications: true, enable_shrink: true, stop_vps: false };

/** Writes of dataset expansions. A new one is there at once; the space is when the action succeeds. */
export const expansionWrites: Readonly<Record<string, ActionDefinition>> = {
  create: create({
    description: 'Create a dataset expansion',
    role: 'admin',
    work: { label: 'Expand dataset', total: 5 },
    input: { dataset: expanded, added_space: space, ...settings },
    change(call) {
      const dataset = call.store.row('datasets', call.input.get('dataset'));
      const added = call.input.get('added_space');
      if (!dataset) return invalid('create failed', { dataset_id: 'must exist' });
      if (typeof added !== 'number') return invalid('create failed', { added_space: "can't be blank" });
      if (isUnlimited(dataset)) return unlimited;
      return expand(call, dataset, { original: Number(dataset['refquota']), added });
    },
  }),
  register_expanded: write({
    description: 'Create a dataset expansion for an already expanded dataset',
    route: '/register_expanded',
    role: 'admin',
    input: {
      dataset: expanded,
      original_refquota: integer({
        label: 'Original reference quota',
        validators: { number: { min: 1 } },
      }),
      ...settings,
    },
    change(call) {
      const dataset = call.store.row('datasets', call.input.get('dataset'));
      if (!dataset) return invalid('create failed', { dataset_id: 'must exist' });
      const original = call.input.get('original_refquota');
      const added = Number(dataset['refquota']) - Number(original ?? Number.NaN);
      if (isUnlimited(dataset)) return unlimited;
      if (!(added > 0) || typeof original !== 'number') {
        return invalid('create failed', { original_refquota: 'must be less than the reference quota' });
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

/** Adds space to an expansion that goes on. */
export const createHistory: ActionDefinition = create({
  description: 'Add extra space to the dataset',
  role: 'admin',
  work: { label: 'Add space to dataset', total: 5 },
  input: { added_space: space },
  change(call, expansion) {
    const { store, input } = call;
    const added = input.get('added_space');
    const dataset = store.row('datasets', expansion?.['dataset']);
    if (!expansion || !dataset || expansion['state'] !== 'active')
      return conflict('the expansion is resolved');
    if (typeof added !== 'number') return invalid('create failed', { added_space: "can't be blank" });
    if (isUnlimited(dataset)) return unlimited;
    const original = Number(dataset['refquota']);
    return (
      refusesTotal(store, original + added) ?? {
        touches: [
          ['dataset_expansion', expansion.id],
          ['dataset', dataset.id],
        ],
        now: () => note(call, expansion.id, { original, added }),
        end() {
          const total = Number(store.row('dataset_expansions', expansion.id)?.['added_space']) + added;
          store.update('dataset_expansions', expansion.id, { added_space: total });
          changeDataset(store, dataset.id, { refquota: original + added });
        },
      }
    );
  },
});

/** A reference quota of 0 is none: space added to it would become the first limit of the dataset. */
const isUnlimited = ({ refquota }: Row): boolean => !refquota;
const unlimited = invalid('create failed', {
  dataset: 'has no reference quota that space could be added to',
});

/** Administrators may add more than the owner has, but not more than a dataset can be given. */
const refusesTotal = (store: Store, total: number) => refusesAmount(diskspace(store), total, 'added_space');

interface Space {
  readonly original: number;
  readonly added: number;
}

function expand(call: Call, dataset: Row, amount: Space): Change | Failure {
  const { store } = call;
  const { original, added } = amount;
  const active = store
    .rows('dataset_expansions')
    .some((row) => row['dataset'] === dataset.id && row['state'] === 'active');
  if (active) return conflict(`dataset '${dataset['name']}' is already expanded`);
  const now = () => {
    const row = store.insert('dataset_expansions', {
      vps: dataset['vps'],
      dataset: dataset.id,
      state: 'active',
      original_refquota: original,
      added_space: added,
      ...defaults,
      over_refquota_seconds: 0,
      max_over_refquota_seconds: 2_592_000,
      created_at: timestamp(),
      ...given(call, Object.keys(settings)),
    });
    note(call, row.id, amount);
    store.update('datasets', dataset.id, { dataset_expansion: row.id });
    return row;
  };
  const end = () => changeDataset(store, dataset.id, { refquota: original + added });
  const touches: readonly Thing[] = [['dataset', dataset.id]];
  return refusesTotal(store, original + added) ?? { touches, now, end };
}

function note({ store, caller }: Call, expansion: number, { original, added }: Space): Row {
  return store.insert('expansion_histories', {
    dataset_expansion: expansion,
    added_space: added,
    original_refquota: original,
    new_refquota: original + added,
    created_at: timestamp(),
    admin: caller?.id ?? null,
  });
}
