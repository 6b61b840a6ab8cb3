// Defines the `migrate` action, which moves a dataset and its descendants to another pool.
import { findSubtree, findSubtreeLockTargets } from '../../domain/datasets.ts';
import { conflict, rowAction } from '../../domain/write-actions.ts';
import type { ActionDefinition, Input, Parameters, Row, Value } from '../../engine/definition.ts';
import { association, boolean, integer, string, withFilledDefaults } from '../../engine/parameters.ts';
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
 * Moves a dataset to another pool when the action succeeds, together with its descendants and the VPSes that reside in them.
 * With a finish weekday or finish minutes, the action waits one step before its end until that time. Without `cleanup_data`,
 * the data also stays on the source pool. The other parameters are only validated: no field of a resource shows their effect.
 */
export const migrateDataset: ActionDefinition = rowAction({
  description: 'Migrate dataset',
  route: '/migrate',
  role: 'admin',
  work: { label: 'Migrate dataset', total: 12, canCancel: true },
  output: {},
  input: withFilledDefaults(migration),
  change({ store, input }, row) {
    const pool = store.row('pools', input.get('pool'));
    if (!pool || row['pool'] === pool.id) return conflict(`dataset '${row['name']}' is already on this pool`);
    const finish = {
      weekday: numberInput(input, 'finish_weekday'),
      minutes: numberInput(input, 'finish_minutes'),
    };
    return {
      lockTargets: findSubtreeLockTargets(store, row),
      earliestEnd: (startTime) => nextTime(finish, startTime),
      onSuccess: () => moveSubtree(store, row, { pool, isCleanedUp: input.get('cleanup_data') === true }),
    };
  },
});

function numberInput(input: Input, name: string): number | undefined {
  const value = input.get(name);
  return typeof value === 'number' ? value : undefined;
}

interface Target {
  readonly pool: Row;
  /** Whether no data stays on the source pool. */
  readonly isCleanedUp: boolean;
}

function moveSubtree(store: Store, top: Row, { pool, isCleanedUp }: Target): void {
  const moved = findSubtree(store, top);
  const belongsToMoved = ({ dataset }: Row): boolean => moved.some(({ id }) => id === dataset);
  const environment = findEnvironment(store, pool);
  // The moved data replaces data that an earlier migration left on the target pool.
  for (const leftover of store.rows('leftovers').filter(belongsToMoved)) {
    if (leftover['pool'] === pool.id) store.remove('leftovers', leftover.id);
  }
  for (const { id, pool: source = null } of moved) {
    store.update('datasets', id, { pool: pool.id, environment });
    if (!isCleanedUp) store.insert('leftovers', { dataset: id, pool: source });
  }
  for (const vps of store.rows('vpses').filter(belongsToMoved)) {
    store.update('vpses', vps.id, { pool: pool.id, node: pool['node'] });
  }
  // A plan belongs to one environment, so plans of the previous environment are removed.
  for (const plan of store.rows('plans').filter(belongsToMoved)) {
    const environmentPlan = store.row('environment_dataset_plans', plan['environment_dataset_plan']);
    if (environmentPlan?.['environment'] !== environment) store.remove('plans', plan.id);
  }
}

/** Whether a pool contains a dataset, or data that a migration of the dataset left there. */
export function isOnPool(dataset: Row, pool: unknown, store: Store): boolean {
  const isLeftOnPool = (leftover: Row) => leftover['dataset'] === dataset.id && leftover['pool'] === pool;
  return dataset['pool'] === pool || store.rows('leftovers').some(isLeftOnPool);
}

function findEnvironment(store: Store, pool: Row): Value {
  const node = store.row('nodes', pool['node']);
  return store.row('locations', node?.['location'])?.['environment'] ?? null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A weekday (0 is Sunday) and minutes after midnight, in UTC. An undefined part matches any value. */
interface TimeOfWeek {
  readonly weekday: number | undefined;
  readonly minutes: number | undefined;
}

/** The first matching time at or after `from`. Both are in milliseconds since 1970. */
function nextTime({ weekday, minutes }: TimeOfWeek, from: number): number {
  const midnight = from - (from % DAY_MS);
  const days = Array.from({ length: 8 }, (_, index) => midnight + index * DAY_MS);
  const matchingDays = days.filter(
    (start) => weekday === undefined || new Date(start).getUTCDay() === weekday,
  );
  const times = matchingDays.map((start) =>
    minutes === undefined ? Math.max(start, from) : start + minutes * MINUTE_MS,
  );
  return times.find((time) => time >= from) ?? from;
}
