// Creates the seed rows that others refer to: users, environments, locations, nodes, pools, cluster resources and action states.
import { type Random, type SeedRow, timeAfter } from './random.ts';

/** The user whose login requires a one-time code after the password, and the public secret of the codes in Base32. */
export const TWO_STEP_LOGIN = 'totp';
export const TOTP_SECRET = 'KNQW4ZDCN54CA43FMNXW4ZBAON2GK4BB';

const PEOPLE: readonly (readonly [login: string, fullName: string])[] = [
  ['admin', 'Žofie Administrátorová'],
  ['user', 'Jan Uživatel'],
  ['support', 'Podpora 24/7'],
  ['novak', 'Jiří Novák'],
  ['svobodova', 'Tereza Svobodová'],
  ['dvorak', 'Ondřej Dvořák'],
  ['cerna', 'Růžena Černá'],
  ['prochazka', 'Vít Procházka'],
  ['kucera', 'Čeněk Kučera'],
  ['vesela', 'Ľubica Veselá'],
  ['tanaka', '田中 太郎'],
  ['yamada', '山田 花子'],
  ['mueller', 'Jürgen Müller'],
  ['garcia', 'José García'],
  ['obrien', "Siobhán O'Brien"],
  ['novotny', 'Matěj Novotný'],
  ['zeman', 'Štěpán Zeman'],
  ['horakova', 'Markéta Horáková'],
  ['urban', 'Řehoř Urban'],
  [TWO_STEP_LOGIN, 'Zdeněk Dvoufázový 🚀'],
];

const LOCATIONS = [
  { label: 'Praha', domain: 'prg', environment: 1 },
  { label: 'Brno', domain: 'brq', environment: 1 },
  { label: 'Playground 🎢', domain: 'pgnd', environment: 2 },
  { label: '東京', domain: 'tyo', environment: 3 },
  { label: 'Sklad', domain: 'skl', environment: 4 },
];

/** The location id of each node. */
const NODE_LOCATIONS = [1, 2, 3, 4, 1, 2, 3, 5];

/** The ids of administrators. They expand datasets in the seed. */
export const ADMIN_IDS = [1, 3] as const;

/** The id of the node that is offline. */
export const OFFLINE_NODE = 7;

/** Seeds the tables that do not refer to datasets. */
export function seedBase(random: Random) {
  const environments = ['Production', 'Playground', 'Zkušební prostředí', 'Sklad 🗄️'];
  const plans = ['Daily backup', 'Týdenní záloha', 'No backup'];
  const components = ['api', 'console', 'webui', 'supervisor', 'node', 'dns'];
  const clusterResources = ['cpu', 'memory', 'swap', 'diskspace', 'ipv4', 'ipv6'];
  return {
    users: PEOPLE.map(([login, fullName], index) => ({
      id: index + 1,
      login,
      full_name: random.chance(0.1) && index > 2 ? null : fullName,
      email: random.chance(0.8) ? `${login}@example.test` : null,
      time_zone: random.chance(0.5) ? 'Europe/Prague' : null,
      totp_secret: login === TWO_STEP_LOGIN ? TOTP_SECRET : null,
      level: ADMIN_IDS.some((id) => id === index + 1) ? 99 : 2,
      info: random.chance(0.3) ? 'Platí předem' : null,
      mailer_enabled: random.chance(0.9),
      last_activity_at: random.chance(0.7) ? timeAfter(random.int(300_000, 500_000)) : null,
      created_at: timeAfter(index * 1440),
      object_state: index === 9 ? 'suspended' : 'active',
    })),
    environments: environments.map((label, index) => ({
      id: index + 1,
      label,
      description: index === 1 ? null : `Environment ${index + 1}`,
      internal: index === 3,
    })),
    dataset_plans: plans.map((label, index) => ({
      id: index + 1,
      label,
      description: index === 2 ? null : `${label} of a dataset`,
    })),
    environment_dataset_plans: environments.flatMap((environment, index) =>
      plans.slice(0, 1 + (index % 3)).map((label, plan) => ({
        id: index * 3 + plan + 1,
        environment: index + 1,
        label: `${label} – ${environment}`,
        dataset_plan: plan + 1,
        user_add: plan === 0,
        user_remove: plan !== 1,
      })),
    ),
    locations: LOCATIONS.map(({ label, environment }, index) => ({
      id: index + 1,
      label,
      description: index === 3 ? null : `${label}, data centre`,
      environment,
    })),
    nodes: createRows(NODE_LOCATIONS.length, (id) => {
      const location = NODE_LOCATIONS[id - 1] ?? 1;
      const domain = LOCATIONS[location - 1]?.domain ?? '';
      return {
        name: `node${id}`,
        domain_name: `node${id}.${domain}`,
        fqdn: `node${id}.${domain}.example.test`,
        hypervisor_type: 'vpsadminos',
        location,
        cgroup_version: id % 2 ? 'cgroup_v2' : 'cgroup_v1',
        is_online: id !== OFFLINE_NODE,
      };
    }),
    pools: createRows(12, (id) => ({
      node: ((id - 1) % NODE_LOCATIONS.length) + 1,
      name: id % 3 ? `tank${id}` : `storage${id}`,
      role: random.pick(['hypervisor', 'hypervisor', 'primary', 'backup']),
      state: id === 11 ? 'degraded' : 'online',
      scan: id === 4 ? 'scrub' : 'none',
      scan_percent: id === 4 ? 42.5 : null,
      checked_at: id === 12 ? null : timeAfter(500_000 + id),
    })),
    components: components.map((name, index) => ({
      id: index + 1,
      name,
      label: `${name.toUpperCase()} ✔`,
      description: index % 2 ? `Component ${name}` : null,
    })),
    cluster_resources: clusterResources.map((name, index) => ({
      id: index + 1,
      name,
      label: name,
      min: name === 'memory' ? 1 : 0,
      max: name === 'diskspace' ? 2 ** 31 - 1 : 8192 * (index + 1),
      stepsize: 1,
    })),
    action_states: seedActionStates(),
  } satisfies Readonly<Record<string, readonly SeedRow[]>>;
}

/** The pools whose nodes are in an environment. */
export function poolsIn(
  { locations, nodes, pools }: ReturnType<typeof seedBase>,
  environment: number,
): readonly SeedRow[] {
  const environmentByNode = new Map<unknown, number>(
    nodes.map((node) => [
      node.id,
      locations.find(({ id }) => id === node['location'])?.environment ?? Number.NaN,
    ]),
  );
  return pools.filter((pool) => environmentByNode.get(pool['node']) === environment);
}

/** Creates rows with consecutive ids that start at 1. */
export function createRows(count: number, createColumns: (id: number) => Omit<SeedRow, 'id'>): SeedRow[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, ...createColumns(index + 1) }));
}

type ActionStateSeed = readonly [
  user: number,
  label: string,
  finished: boolean,
  status: boolean,
  current: number | null,
  total: number,
];

function seedActionStates(): SeedRow[] {
  const states: readonly ActionStateSeed[] = [
    [1, 'Create dataset', true, true, 4, 4],
    [2, 'Create dataset', true, true, 4, 4],
    [1, 'Migrate dataset', false, true, 3, 12],
    [2, 'Snapshot', false, true, 0, 5],
    [1, 'Delete dataset', false, false, 2, 5],
    [2, 'Rollback ⏪', false, false, 1, 6],
    [1, 'Expand dataset', true, false, 3, 5],
    [2, 'Expand dataset', true, false, 5, 5],
    [1, 'Restart VPS', false, true, null, 3],
    [2, 'Obnova zálohy č. 7', false, true, 7, 9],
    [1, 'Update zone', false, true, 0, 0],
    [4, 'Create dataset', false, true, 1, 4],
    [1, 'Transfer', false, true, 512, 2048],
    [2, 'Destroy snapshot', false, true, 1, 3],
  ];
  return states.map(([user, label, finished, status, current, total], index) => ({
    id: index + 101,
    user,
    label,
    finished,
    status,
    current,
    total,
    unit: label === 'Transfer' ? 'MiB' : 'transactions',
    can_cancel: index % 3 === 2,
    created_at: timeAfter(510_000 + index),
    updated_at: finished ? timeAfter(510_030 + index) : timeAfter(510_010 + index),
  }));
}
