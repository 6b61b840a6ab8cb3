// Computes the statistics of the cluster.
import type { Row } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';

/** The full statistics of the cluster. Each VPS and each user counts in exactly one state. */
export function statistics(store: Store) {
  const nodes = store.rows('nodes');
  const vpses = groupByState(store.rows('vpses'));
  const users = groupByState(store.rows('users'));
  const running = vpses.active.filter((vps) => vps['is_running']).length;
  const addresses = store.rows('ipv4_addresses');
  return {
    nodes_online: nodes.filter((node) => node['is_online']).length,
    node_count: nodes.length,
    vps_running: running,
    vps_stopped: vpses.active.length - running,
    vps_suspended: vpses.suspended.length,
    vps_deleted: vpses.deleted.length,
    vps_count: vpses.all.length,
    user_active: users.active.length,
    user_suspended: users.suspended.length,
    user_deleted: users.deleted.length,
    user_count: users.all.length,
    ipv4_used: addresses.filter((address) => address['vps'] !== null).length,
    ipv4_count: addresses.length,
  };
}

/** The part of the statistics that anonymous callers may read. */
export function publicStatistics(store: Store) {
  const { user_count, vps_count, ipv4_count, ipv4_used } = statistics(store);
  return { user_count, vps_count, ipv4_left: ipv4_count - ipv4_used };
}

/** Groups rows by state. Every state except active and suspended counts as deleted. */
function groupByState(all: readonly Row[]) {
  const inState = (state: string) => all.filter((row) => row['object_state'] === state);
  const [active, suspended] = [inState('active'), inState('suspended')];
  const deleted = all.filter((row) => !active.includes(row) && !suspended.includes(row));
  return { all, active, suspended, deleted };
}
