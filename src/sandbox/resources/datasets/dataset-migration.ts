import { lockSubtree, subtree } from '../../domain/datasets.ts';
import { nextTime } from '../../domain/time-of-week.ts';
import { conflict, onRow } from '../../domain/write-actions.ts';
import type { ActionDefinition, Input, Parameters, Row, Value } from '../../engine/definition.ts';
import { association, boolean, filled, integer, string } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

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

/**
 * Moves a dataset to another pool when it succeeds, with all below it and the VPSes that reside in them. Given a day or minutes,
 * it is one step short of its end until then; data that is not cleaned up stays on the source pool too. The other parameters
 * are checked and change nothing: what they ask for shows in no field of any resource.
 */
export const migrateDataset: ActionDefinition = onRow({
  description: 'Migrate dataset',
  route: '/migrate',
  role: 'admin',
  work: { label: 'Migrate dataset', total: 12, canCancel: true },
  output: {},
  input: filled(migration),
  change({ store, input }, row) {
    const pool = store.row('pools', input.get('pool'));
    if (!pool || row['pool'] === pool.id) return conflict(`dataset '${row['name']}' is already on this pool`);
    const finish = { weekday: numberOf(input, 'finish_weekday'), minutes: numberOf(input, 'finish_minutes') };
    return {
      touches: lockSubtree(store, row),
      due: (begin) => nextTime(finish, begin),
      end: () => move(store, row, { pool, isCleanedUp: input.get('cleanup_data') === true }),
    };
  },
});

function numberOf(input: Input, name: string): number | undefined {
  const value = input.get(name);
  return typeof value === 'number' ? value : undefined;
}

interface Target {
  readonly pool: Row;
  /** Nothing is left on the pool where it was. */
  readonly isCleanedUp: boolean;
}

function move(store: Store, top: Row, { pool, isCleanedUp }: Target): void {
  const moved = subtree(store, top);
  const isMoved = ({ dataset }: Row): boolean => moved.some(({ id }) => id === dataset);
  const environment = environmentOf(store, pool);
  // What an earlier migration left on the target is what is there now.
  for (const left of store.rows('leftovers').filter(isMoved)) {
    if (left['pool'] === pool.id) store.remove('leftovers', left.id);
  }
  for (const { id, pool: source = null } of moved) {
    store.update('datasets', id, { pool: pool.id, environment });
    if (!isCleanedUp) store.insert('leftovers', { dataset: id, pool: source });
  }
  for (const vps of store.rows('vpses').filter(isMoved)) {
    store.update('vpses', vps.id, { pool: pool.id, node: pool['node'] });
  }
  // Plans are an environment's, so those of the one that was left end.
  for (const plan of store.rows('plans').filter(isMoved)) {
    const assigned = store.row('environment_dataset_plans', plan['environment_dataset_plan']);
    if (assigned?.['environment'] !== environment) store.remove('plans', plan.id);
  }
}

/** Whether a dataset, or what a migration left of it, is on a pool. */
export function isOnPool(dataset: Row, pool: unknown, store: Store): boolean {
  const isLeft = (left: Row) => left['dataset'] === dataset.id && left['pool'] === pool;
  return dataset['pool'] === pool || store.rows('leftovers').some(isLeft);
}

function environmentOf(store: Store, pool: Row): Value {
  const node = store.row('nodes', pool['node']);
  return store.row('locations', node?.['location'])?.['environment'] ?? null;
}
