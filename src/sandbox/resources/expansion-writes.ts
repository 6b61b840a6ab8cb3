import type { ActionDefinition, Call, Failure, Fields, Parameters } from '../definition.ts';
import { association, integer } from '../parameters.ts';
import { conflict, create, lockName, update } from '../writes.ts';

const atLeastOne = { number: { min: 1 } };
const dataset = association('dataset', 'name');

const now = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

function activeExpansion({ store, input }: Call): Failure | null {
  const row = store.row('datasets', input.get('dataset'));
  if (row === undefined)
    return {
      ok: false,
      message: 'input parameters are not valid',
      errors: { dataset: ['resource not found'] },
    };
  return row['dataset_expansion'] === null ? null : conflict('the dataset is expanded already');
}

/** Adds the expansion to its dataset, with the space it adds, and notes both in the history. */
function expand({ store, caller }: Call, expansion: number, id: unknown, added: number): void {
  const row = store.row('datasets', id);
  if (row === undefined) return;
  const before = Number(row['refquota'] ?? 0);
  store.update('datasets', row.id, { refquota: before + added, dataset_expansion: expansion });
  store.insert('expansion_histories', {
    dataset_expansion: expansion,
    added_space: added,
    original_refquota: before,
    new_refquota: before + added,
    created_at: now(),
    admin: caller?.admin ? caller.id : null,
  });
}

const fresh = ({ store }: Call, { dataset: id, ...given }: Fields): Fields => ({
  enable_notifications: true,
  enable_shrink: true,
  stop_vps: true,
  max_over_refquota_seconds: 2_592_000,
  original_refquota: store.row('datasets', id)?.['refquota'] ?? null,
  added_space: 0,
  ...given,
  dataset: id ?? null,
  vps: store.row('datasets', id)?.['vps'] ?? null,
  state: 'active',
  over_refquota_seconds: 0,
  created_at: now(),
});

/** The writes of expansions; `handling` are the inputs that all of them take. */
export function expansionWrites(handling: Parameters): Readonly<Record<string, ActionDefinition>> {
  return {
    create: create({
      description: 'Create dataset expansion',
      parameters: {
        dataset,
        added_space: integer({ label: 'Added space', validators: atLeastOne }),
        ...handling,
      },
      locks: ({ input }) => [lockName('datasets', input.get('dataset'))],
      check: activeExpansion,
      values: fresh,
      work: (call, row) => ({
        label: 'Expand dataset',
        total: 3,
        cancellable: false,
        locks: [lockName('datasets', row['dataset'])],
        succeed: () => expand(call, row.id, row['dataset'], Number(row['added_space'])),
        undo: () => void call.store.remove('dataset_expansions', ({ id }) => id === row.id),
      }),
    }),
    register_expanded: {
      ...create({
        description: 'Register a dataset that is expanded already',
        parameters: {
          dataset,
          original_refquota: integer({ label: 'Original reference quota', validators: atLeastOne }),
          ...handling,
        },
        check: activeExpansion,
        values: fresh,
      }),
      aliases: [],
      route: '/register_expanded',
    },
    update: update({ description: 'Update dataset expansion', parameters: handling }),
  };
}

/** Adds more space to an expansion. */
export const addSpace: ActionDefinition = create({
  description: 'Add extra space',
  parameters: { added_space: integer({ label: 'Added space', validators: atLeastOne }) },
  values: ({ store, caller, pathParams }, { added_space }) => {
    const expansion = store.row('dataset_expansions', Number(pathParams[0]));
    const before = Number(store.row('datasets', expansion?.['dataset'])?.['refquota'] ?? 0);
    return {
      added_space: added_space ?? 0,
      original_refquota: before,
      new_refquota: before + Number(added_space ?? 0),
      created_at: now(),
      admin: caller?.admin ? caller.id : null,
    };
  },
  work: ({ store }, row) => {
    const expansion = store.row('dataset_expansions', row['dataset_expansion']);
    const id = Number(expansion?.['dataset']);
    return {
      label: 'Expand dataset',
      total: 3,
      cancellable: false,
      locks: [lockName('datasets', id)],
      succeed: () => {
        store.update('datasets', id, { refquota: row['new_refquota'] ?? 0 });
        const added = Number(expansion?.['added_space'] ?? 0) + Number(row['added_space']);
        if (expansion) store.update('dataset_expansions', expansion.id, { added_space: added });
      },
      undo: () => void store.remove('expansion_histories', (other) => other.id === row.id),
    };
  },
});
