import { type Draft, type Random, time } from './random.ts';

/** Id of the ordinary user whom the sandbox offers. */
export const ordinaryUser = 2;

/** Top datasets by name: owner, environment. */
const tops: readonly (readonly [name: string, owner: number, environment: number])[] = [
  ['archive', 4, 1],
  ['atlas', ordinaryUser, 1],
  ['backup', 5, 2],
  ['blog', ordinaryUser, 1],
  ['build', 6, 2],
  ['cloud', 7, 1],
  ['data10', 8, 3],
  ['data9', 8, 1],
  ['dev', 9, 2],
  ['eshop', 10, 1],
  ['forum', 11, 3],
  ['gallery', 12, 1],
  ['home-jan', ordinaryUser, 2],
  ['images', 13, 1],
  ['lab', 14, 2],
  ['mail', 15, 1],
  ['media', ordinaryUser, 4],
  ['mirror', 16, 3],
  ['nextcloud', ordinaryUser, 1],
  ['photos', 17, 1],
  ['registry', 18, 2],
  ['scratch', 19, 4],
  ['test', 20, 2],
  ['vault', 4, 1],
  ['web', ordinaryUser, 3],
  ['wiki', 6, 1],
];

/** Datasets below a top one. */
const branches = [
  'data',
  'data/db',
  'data/db/base',
  'data/db/wal',
  'data/files',
  'data/files/2023',
  'home',
  'home/alice',
  'home/alice/mail',
  'www',
  'www/logs',
];

/**
 * Trees of datasets, four deep, each on one of its environment's pools. One branch of another's tree is the ordinary user's:
 * `archive/home`.
 */
export function seedDatasets(random: Random, poolsOf: (environment: number) => readonly Draft[]): Draft[] {
  const datasets: Draft[] = [];
  for (const [index, [top, owner, environment]] of random.shuffle(tops).entries()) {
    const pools = poolsOf(environment);
    const pool = pools[(index + 1) % pools.length]?.id ?? null;
    const ids = new Map<string, number>();
    for (const name of [top, ...inAnyOrder(random).map((branch) => `${top}/${branch}`)]) {
      const parent = ids.get(name.slice(0, name.lastIndexOf('/'))) ?? null;
      const id = datasets.length + 1;
      ids.set(name, id);
      const user = /^archive\/home(\/|$)/.test(name) ? ordinaryUser : owner;
      datasets.push({ id, name, parent, user, environment, pool, ...properties(random) });
    }
  }
  return datasets;
}

/** Branches shuffled, but none before the one it grows from; a few leaves are left out. */
function inAnyOrder(random: Random): readonly string[] {
  const depth = (branch: string) => branch.split('/').length;
  const kept = branches.filter((branch) => depth(branch) < 3 || random.chance(0.8));
  return random.shuffle(kept).sort((a, b) => depth(a) - depth(b));
}

function properties(random: Random) {
  const used = random.int(1, 200_000);
  return {
    current_history_id: random.chance(0.8) ? random.int(0, 5) : null,
    atime: random.chance(0.3),
    compression: random.chance(0.9),
    recordsize: random.pick([131_072, 16_384, 1_048_576]),
    quota: random.chance(0.4) ? random.int(1, 40) * 10_240 : 0,
    refquota: random.chance(0.4) ? random.int(1, 20) * 10_240 : 0,
    relatime: random.chance(0.2),
    sync: random.chance(0.9) ? 'standard' : 'disabled',
    sharenfs: random.chance(0.1) ? 'rw=@10.0.0.0/8' : null,
    used,
    referenced: Math.floor(used / 2),
    avail: random.chance(0.9) ? random.int(1_000, 900_000) : null,
    compressratio: random.chance(0.9) ? random.int(100, 300) / 100 : null,
    refcompressratio: random.int(100, 300) / 100,
    vps: null,
    export: null,
    dataset_expansion: null,
  };
}

/** What the properties of datasets were: for every tenth dataset far more than one page. */
export function seedPropertyHistories(random: Random, datasets: readonly Draft[]): Draft[] {
  const rows: Draft[] = [];
  for (const { id: dataset } of datasets) {
    const count = dataset % 10 === 1 ? 60 : random.int(0, 8);
    for (let index = 0; index < count; index += 1) {
      rows.push({
        id: rows.length + 1,
        dataset,
        name: random.pick(['used', 'referenced', 'avail']),
        value: random.chance(0.97) ? random.int(1, 200_000) : null,
        created_at: time(100_000 + index * 1440 + dataset),
      });
    }
  }
  return rows;
}
