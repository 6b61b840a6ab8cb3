import { adminIds, numbered, offlineNode } from './base.ts';
import { type Draft, type Random, time } from './random.ts';
import { ordinaryUser } from './trees.ts';

const labels = [
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
 * VPSes on top datasets and the pools of these, and a few on none; every dataset of a tree gets the VPS of its top one.
 */
export function seedVpses(random: Random, datasets: readonly Draft[], pools: readonly Draft[]): Draft[] {
  const withDataset = datasets.filter(
    ({ parent, name }) => parent === null && (name === 'blog' || random.chance(0.85)),
  );
  const vpses = numbered(withDataset.length + 6, (id) => {
    const top = withDataset[id - 1];
    // The VPS on the ordinary user's `blog` is somebody else's: the user may not see it.
    const user = top?.['name'] === 'blog' ? 5 : (top?.['user'] ?? random.int(4, 20));
    const anyPool = random.chance(0.9) ? random.int(1, pools.length) : null;
    const pool = pools.find((one) => one.id === (top?.['pool'] ?? anyPool));
    const node = pool?.['node'] ?? ((id - 1) % 8) + 1;
    const isSuspended = id % 13 === 0;
    return {
      user,
      hostname: top ? `${id % 6 ? `${top['name']}.example.test` : `žluťoučký-${top['name']}`}` : `vps${id}`,
      node,
      dataset: top?.id ?? null,
      pool: pool?.id ?? null,
      created_at: time(20_000 + id * 60),
      memory: random.pick([1024, 2048, 4096, 8192]),
      is_running: random.chance(0.8) && node !== offlineNode && !isSuspended,
      object_state: isSuspended ? 'suspended' : 'active',
    };
  });
  const byTop = new Map(
    vpses.map((vps) => [datasets.find(({ id }) => id === vps['dataset'])?.['name'], vps.id]),
  );
  for (const dataset of datasets) {
    const top = String(dataset['name']).split('/')[0];
    if (random.chance(0.9)) dataset['vps'] = byTop.get(top ?? '') ?? null;
  }
  return vpses;
}

/** Public IPv4 addresses, which VPSes have or nobody. */
export function seedAddresses(vpses: readonly Draft[]): Draft[] {
  return numbered(512, (id) => ({
    address: `198.18.${Math.floor((id - 1) / 256)}.${(id - 1) % 256}`,
    vps: id > 187 ? null : (vpses[(id - 1) % vpses.length]?.id ?? null),
  }));
}

/** Datasets mounted in VPSes, some in a VPS of somebody else. */
export function seedMounts(random: Random, datasets: readonly Draft[], vpses: readonly Draft[]): Draft[] {
  const mounted = random.shuffle(datasets).slice(0, 40);
  return numbered(mounted.length, (id) => {
    const dataset = mounted[id - 1];
    const own = vpses.filter((vps) => vps['user'] === dataset?.['user']);
    const vps = id % 5 === 0 || own.length === 0 ? vpses[id % vpses.length] : own[id % own.length];
    return {
      vps: vps?.id ?? 1,
      dataset: id % 7 === 0 ? null : (dataset?.id ?? null),
      mountpoint: id % 4 ? `/mnt/${String(dataset?.['name'])}` : `/mnt/data č. ${id}`,
      mode: id % 3 ? 'rw' : 'ro',
      expiration_date: id % 6 === 0 ? time(600_000 + id) : null,
      enabled: id % 8 !== 0,
      current_state: random.pick(['created', 'mounted', 'unmounted', 'delayed']),
    };
  });
}

/** Exports of datasets. */
export function seedExports(random: Random, datasets: readonly Draft[]): Draft[] {
  const exported = random.shuffle(datasets).slice(0, 30);
  for (const [index, dataset] of exported.entries()) dataset['export'] = index + 1;
  return exported.map((dataset, index) => ({
    id: index + 1,
    dataset: dataset.id,
    snapshot: null,
    path: `/export/${String(dataset['name'])}`,
    rw: random.chance(0.7),
    enabled: random.chance(0.9),
    expiration_date: random.chance(0.2) ? time(700_000 + index) : null,
    created_at: time(60_000 + index * 30),
    updated_at: random.chance(0.5) ? time(90_000 + index) : null,
  }));
}

/** Snapshots: none of the first dataset, 150 of the second, a few of every other. */
export function seedSnapshots(
  random: Random,
  datasets: readonly Draft[],
  mounts: readonly Draft[],
  exports: readonly Draft[],
): Draft[] {
  const rows: Draft[] = [];
  for (const { id: dataset } of datasets) {
    const count = dataset === 1 ? 0 : dataset === 2 ? 150 : random.int(4, 16);
    for (let index = 0; index < count; index += 1) {
      const created_at = time(200_000 + index * 1440 + dataset);
      rows.push({
        id: rows.length + 1,
        dataset,
        name: created_at.slice(0, 19),
        label: random.pick(labels),
        created_at,
        history_id: random.int(0, 5),
        mount: random.chance(0.05) ? random.int(1, mounts.length) : null,
        export: random.chance(0.05) ? random.int(1, exports.length) : null,
      });
    }
  }
  for (const exported of exports) {
    const own = rows.filter((snapshot) => snapshot['dataset'] === exported['dataset']);
    if (exported.id % 3 === 0) exported['snapshot'] = own[0]?.id ?? null;
  }
  return rows;
}

/** Plans that datasets have. */
export function seedPlans(random: Random, datasets: readonly Draft[]): Draft[] {
  const planned = datasets.filter(() => random.chance(0.5));
  return planned.map((dataset, index) => ({
    id: index + 1,
    dataset: dataset.id,
    environment_dataset_plan: (Number(dataset['environment']) - 1) * 3 + 1,
  }));
}

/**
 * Expansions, a dozen of them the ordinary user's, with one to six steps each. Their datasets are as large as they say: those
 * of resolved ones are again what they were before.
 */
export function seedExpansions(random: Random, datasets: readonly Draft[]) {
  const shuffled = random.shuffle(datasets);
  const own = shuffled.filter((dataset) => dataset['user'] === ordinaryUser).slice(0, 12);
  const others = shuffled.filter((dataset) => dataset['user'] !== ordinaryUser).slice(0, 33);
  const histories: Draft[] = [];
  const expansions = random.shuffle([...own, ...others]).map((dataset, index): Draft => {
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
        created_at: time(created + step * 60),
        admin: random.pick([null, ...adminIds, Number(dataset['user'])]),
      });
    }
    const active = random.chance(0.7);
    const added_space = steps * 10_240;
    dataset['refquota'] = original_refquota + (active ? added_space : 0);
    if (active) dataset['dataset_expansion'] = id;
    return {
      id,
      vps: dataset['vps'] ?? null,
      dataset: dataset.id,
      state: active ? 'active' : 'resolved',
      original_refquota,
      added_space,
      enable_notifications: random.chance(0.8),
      enable_shrink: random.chance(0.8),
      stop_vps: random.chance(0.3),
      over_refquota_seconds: random.int(0, 90_000),
      max_over_refquota_seconds: random.chance(0.8) ? 2_592_000 : null,
      created_at: time(created),
    };
  });
  return { expansions, histories };
}
