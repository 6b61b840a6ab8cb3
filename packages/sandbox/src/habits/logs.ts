// Implements the option `logs`: long lists that are sorted by time, with many equal times.
import { index, show } from '../actions/actions.ts';
import { visibleToOwner, visibleToOwnerOf } from '../domain/access.ts';
import type { ResourceDefinition, Value } from '../engine/definition.ts';
import { ascendingBy, descendingBy } from '../engine/lists.ts';
import { association, choice, datetime, integer, string } from '../engine/parameters.ts';
import { createRows } from '../seed/base.ts';
import { ORDINARY_USER } from '../seed/dataset-trees.ts';
import { createRandom, type SeedRow, timeAfter } from '../seed/random.ts';

/** The columns by which logs are sorted, by table. Nothing refers to the rows of these tables. */
export const TIME_COLUMNS: Readonly<Record<string, string>> = {
  property_histories: 'created_at',
  user_sessions: 'created_at',
  oom_reports: 'created_at',
  ip_address_assignments: 'from_date',
};

/** The number of rows with the same time, for reports on average. */
const SESSIONS_A_TIME = 7;
const REPORTS_A_TIME = 4;
const ASSIGNMENTS_A_TIME = 2;

const owner = association('user', 'login', { label: 'User' });
const vps = association('vps', 'hostname', { label: 'VPS' });
const authType = choice(['basic', 'token', 'oauth2'], { label: 'Authentication type' });

/** The resources of the logs. `from_id` follows the direction of each list. */
export const logResources: Readonly<Record<string, ResourceDefinition>> = {
  user_session: {
    description: 'Browse user sessions',
    table: 'user_sessions',
    isVisible: visibleToOwner('user'),
    output: {
      id: integer(),
      user: owner,
      auth_type: authType,
      client_ip_addr: string({ label: 'IP address' }),
      created_at: datetime({ label: 'Created at' }),
    },
    actions: {
      index: index({
        description: 'List user sessions, newest first',
        filters: { user: { parameter: { ...owner, role: 'admin' } }, auth_type: { parameter: authType } },
        order: descendingBy('created_at'),
        fromIdKeeps: 'below',
      }),
      show: show({ description: 'Show user session' }),
    },
  },
  oom_report: {
    description: 'Browse out-of-memory reports',
    table: 'oom_reports',
    isVisible: visibleToOwnerOf('vps', 'vpses'),
    output: {
      id: integer(),
      vps,
      cgroup: string({ label: 'Cgroup' }),
      created_at: datetime({ label: 'Reported at' }),
    },
    actions: {
      index: index({
        description: 'List out-of-memory reports, oldest first',
        filters: { vps: { parameter: vps } },
        order: ascendingBy('created_at'),
      }),
      show: show({ description: 'Show out-of-memory report' }),
    },
  },
  ip_address_assignment: {
    description: 'Browse IP address assignments',
    table: 'ip_address_assignments',
    isVisible: visibleToOwner('user'),
    output: {
      id: integer(),
      ip_addr: string({ label: 'IP address' }),
      user: owner,
      from_date: datetime({ label: 'From' }),
    },
    actions: {
      index: index({
        description: 'List IP address assignments, newest first',
        filters: { ip_addr: { parameter: string({ label: 'IP address' }) } },
        order: descendingBy('from_date'),
        fromIdKeeps: 'below',
      }),
      show: show({ description: 'Show IP address assignment' }),
    },
  },
};

/**
 * Creates the rows of the logs. Their times follow their ids.
 * @param count The number of sessions. There are a third as many reports, and as many assignments.
 */
export function seedLogs(count: number, vpsCount: number): Readonly<Record<string, readonly SeedRow[]>> {
  const { int, pick, chance } = createRandom(27);
  const pickOwner = (): Value => (chance(0.4) ? ORDINARY_USER : int(4, 20));
  const third = Math.ceil(count / 3);
  let time = 0;
  return {
    user_sessions: createRows(count, (id) => ({
      user: pickOwner(),
      auth_type: pick(['basic', 'token', 'oauth2']),
      client_ip_addr: `192.0.2.${int(1, 254)}`,
      created_at: timeAfter(400_000 + Math.ceil(id / SESSIONS_A_TIME)),
    })),
    oom_reports: createRows(third, () => {
      if (chance(1 / REPORTS_A_TIME)) time += 1;
      return {
        vps: int(1, vpsCount),
        cgroup: pick(['/', '/system.slice', '/user.slice']),
        created_at: timeAfter(400_000 + time),
      };
    }),
    ip_address_assignments: createRows(third, (id) => ({
      ip_addr: `198.18.0.${int(0, 31)}`,
      user: pickOwner(),
      from_date: timeAfter(400_000 + Math.ceil(id / ASSIGNMENTS_A_TIME)),
    })),
  };
}
