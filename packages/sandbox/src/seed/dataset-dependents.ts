// Creates the seed rows that refer to datasets: VPSes, addresses, mounts, exports, snapshots, plans and expansions.
import { ADMIN_IDS, createRows, OFFLINE_NODE } from './base.ts';
import { ORDINARY_USER } from './dataset-trees.ts';
import { type Random, type SeedRow, timeAfter } from './random.ts';

const SNAPSHOT_LABELS = [
  null,
  null,
  null,
  'před aktualizací',
  'nightly',
  '日本語ラベル',
  '🚀 release',
  'ručně',
] as const;

/**
 * Seeds VPSes: most reside in a top dataset and on its pool, six have no dataset. Most datasets of a tree refer to the VPS of
 * the top dataset.
 */
export function seedVpses(
  random: Random,
  datasets: readonly SeedRow[],
  pools: readonly SeedRow[],
): SeedRow[] {
  const withDataset = datasets.filter(
    ({ parent, name }) => parent === null && (name === 'blog' || random.chance(0.85)),
  );
  const vpses = createRows(withDataset.length + 6, (id) => {
    const top = withDataset[id - 1];
    // Another user owns the VPS of the ordinary user's dataset `blog`, so the ordinary user may not see that VPS.
    const user = top?.['name'] === 'blog' ? 5 : (top?.['user'] ?? random.int(4, 20));
    const anyPool = random.chance(0.9) ? random.int(1, pools.length) : null;
    const pool = pools.find((row) => row.id === (top?.['pool'] ?? anyPool));
    const node = pool?.['node'] ?? ((id - 1) % 8) + 1;
    const isSuspended = id % 13 === 0;
    return {
      user,
      hostname: top ? `${id % 6 ? `${top['name']}.example.test` : `žluťoučký-${top['name']}`}` : `vps${id}`,
      node,
      dataset: top?.id ?? null,
      pool: pool?.id ?? null,
      created_at: timeAfter(20_000 + id * 60),
      memory: random.pick([1024, 2048, 4096, 8192]),
      is_running: random.chance(0.8) && node !== OFFLINE_NODE && !isSuspended,
      object_state: isSuspended ? 'suspended' : 'active',
    };
  });
  const vpsByTopName = new Map(
    vpses.map((vps) => [datasets.find(({ id }) => id === vps['dataset'])?.['name'], vps.id]),
  );
  for (const dataset of datasets) {
    const top = String(dataset['name']).split('/')[0];
    if (random.chance(0.9)) dataset['vps'] = vpsByTopName.get(top ?? '') ?? null;
  }
  return vpses;
}

/** Seeds public IPv4 addresses. Some are assigned to VPSes, the others are free. */
export function seedAddresses(vpses: readonly SeedRow[]): SeedRow[] {
  return createRows(512, (id) => ({
    address: `198.18.${Math.floor((id - 1) / 256)}.${(id - 1) % 256}`,
    vps: id > 187 ? null : (vpses[(id - 1) % vpses.length]?.id ?? null),
  }));
}

/** Seeds mounts of datasets in VPSes. Some are in a VPS of another user. */
export function seedMounts(
  random: Random,
  datasets: readonly SeedRow[],
  vpses: readonly SeedRow[],
): SeedRow[] {
  const mounted = random.shuffle(datasets).slice(0, 40);
  return createRows(mounted.length, (id) => {
    const dataset = mounted[id - 1];
    const ownVpses = vpses.filter((vps) => vps['user'] === dataset?.['user']);
    const vps =
      id % 5 === 0 || ownVpses.length === 0 ? vpses[id % vpses.length] : ownVpses[id % ownVpses.length];
    return {
      vps: vps?.id ?? 1,
      dataset: id % 7 === 0 ? null : (dataset?.id ?? null),
      mountpoint: id % 4 ? `/mnt/${String(dataset?.['name'])}` : `/mnt/data č. ${id}`,
      mode: id % 3 ? 'rw' : 'ro',
      expiration_date: id % 6 === 0 ? timeAfter(600_000 + id) : null,
      enabled: id % 8 !== 0,
      current_state: random.pick(['created', 'mounted', 'unmounted', 'delayed']),
    };
  });
}

/** Seeds exports of datasets, and sets the export of each exported dataset. */
export function seedExports(random: Random, datasets: readonly SeedRow[]): SeedRow[] {
  const exported = random.shuffle(datasets).slice(0, 30);
  for (const [index, dataset] of exported.entries()) dataset['export'] = index + 1;
  return exported.map((dataset, index) => ({
    id: index + 1,
    dataset: dataset.id,
    snapshot: null,
    path: `/export/${String(dataset['name'])}`,
    rw: random.chance(0.7),
    enabled: random.chance(0.9),
    expiration_date: random.chance(0.2) ? timeAfter(700_000 + index) : null,
    created_at: timeAfter(60_000 + index * 30),
    updated_at: random.chance(0.5) ? timeAfter(90_000 + index) : null,
  }));
}

/**
 * Seeds snapshots: none for the first dataset, 150 for the second and a few for each other dataset. Every third export refers
 * to a snapshot of its dataset.
 */
export function seedSnapshots(
  random: Random,
  datasets: readonly SeedRow[],
  mounts: readonly SeedRow[],
  exports: readonly SeedRow[],
): SeedRow[] {
  const rows: SeedRow[] = [];
  for (const { id: dataset } of datasets) {
    const count = dataset === 1 ? 0 : dataset === 2 ? 150 : random.int(4, 16);
    for (let index = 0; index < count; index += 1) {
      const created_at = timeAfter(200_000 + index * 1440 + dataset);
      rows.push({
        id: rows.length + 1,
        dataset,
        name: created_at.slice(0, 19),
        label: random.pick(SNAPSHOT_LABELS),
        created_at,
        history_id: random.int(0, 5),
        mount: random.chance(0.05) ? random.int(1, mounts.length) : null,
        export: random.chance(0.05) ? random.int(1, exports.length) : null,
      });
    }
  }
  for (const exported of exports) {
    const datasetSnapshots = rows.filter((snapshot) => snapshot['dataset'] === exported['dataset']);
    if (exported.id % 3 === 0) exported['snapshot'] = datasetSnapshots[0]?.id ?? null;
  }
  return rows;
}

/** Seeds the assignments of plans to about half of the datasets. */
export function seedPlans(random: Random, datasets: readonly SeedRow[]): SeedRow[] {
  const planned = datasets.filter(() => random.chance(0.5));
  return planned.map((dataset, index) => ({
    id: index + 1,
    dataset: dataset.id,
    environment_dataset_plan: (Number(dataset['environment']) - 1) * 3 + 1,
  }));
}

/**
 * Seeds expansions with one to six history rows each. Twelve belong to the ordinary user. The reference quota of a dataset with
 * an active expansion includes the added space. A resolved expansion restores the original quota.
 */
export function seedExpansions(random: Random, datasets: readonly SeedRow[]) {
  const shuffled = random.shuffle(datasets);
  const ownDatasets = shuffled.filter((dataset) => dataset['user'] === ORDINARY_USER).slice(0, 12);
  const otherDatasets = shuffled.filter((dataset) => dataset['user'] !== ORDINARY_USER).slice(0, 33);
  const histories: SeedRow[] = [];
  const expansions = random.shuffle([...ownDatasets, ...otherDatasets]).map((dataset, index): SeedRow => {
    const id = index + 1;
    const steps = random.int(1, 6);
    const original_refquota = random.int(1, 20) * 10_240;
    const created = 300_000 + id * 700;
    for (let step = 1; step <= steps; step += 1) {
      histories.push({
        id: histories.length + 1,
        dataset_expansion: id,
        added_space: 10_240,
        original_refquota: original_refquota + (step - 1) * 10_240,
        new_refquota: original_refquota + step * 10_240,
        created_at: timeAfter(created + step * 60),
        admin: random.pick([null, ...ADMIN_IDS, Number(dataset['user'])]),
      });
    }
    const isActive = random.chance(0.7);
    const added_space = steps * 10_240;
    dataset['refquota'] = original_refquota + (isActive ? added_space : 0);
    if (isActive) dataset['dataset_expansion'] = id;
    return {
      id,
      vps: dataset['vps'] ?? null,
      dataset: dataset.id,
      state: isActive ? 'active' : 'resolved',
      original_refquota,
      added_space,
      enable_notifications: random.chance(0.8),
      enable_shrink: random.chance(0.8),
      stop_vps: random.chance(0.3),
      over_refquota_seconds: random.int(0, 90_000),
      max_over_refquota_seconds: random.chance(0.8) ? 2_592_000 : null,
      created_at: timeAfter(created),
    };
  });
  return { expansions, histories };
}
