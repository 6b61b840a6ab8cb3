// Creates the seed rows of datasets and of their property history.
import { type Random, type SeedRow, timeAfter } from './random.ts';

/** The id of the ordinary user whose credentials the sandbox offers. */
export const ORDINARY_USER = 2;

/** The name, owner id and environment id of each top dataset. */
const TOP_DATASETS: readonly (readonly [name: string, owner: number, environment: number])[] = [
  ['archive', 4, 1],
  ['atlas', ORDINARY_USER, 1],
  ['backup', 5, 2],
  ['blog', ORDINARY_USER, 1],
  ['build', 6, 2],
  ['cloud', 7, 1],
  ['data10', 8, 3],
  ['data9', 8, 1],
  ['dev', 9, 2],
  ['eshop', 10, 1],
  ['forum', 11, 3],
  ['gallery', 12, 1],
  ['home-jan', ORDINARY_USER, 2],
  ['images', 13, 1],
  ['lab', 14, 2],
  ['mail', 15, 1],
  ['media', ORDINARY_USER, 4],
  ['mirror', 16, 3],
  ['nextcloud', ORDINARY_USER, 1],
  ['photos', 17, 1],
  ['registry', 18, 2],
  ['scratch', 19, 4],
  ['test', 20, 2],
  ['vault', 4, 1],
  ['web', ORDINARY_USER, 3],
  ['wiki', 6, 1],
];

/** The names of the descendants of a top dataset, relative to it. */
const DESCENDANTS = [
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
 * Seeds trees of datasets with at most four levels. Each tree is on a pool of its environment. The ordinary user owns the branch
 * `archive/home` in another user's tree.
 */
export function seedDatasets(
  random: Random,
  poolsIn: (environment: number) => readonly SeedRow[],
): SeedRow[] {
  const datasets: SeedRow[] = [];
  for (const [index, [top, owner, environment]] of random.shuffle(TOP_DATASETS).entries()) {
    const pools = poolsIn(environment);
    const pool = pools[(index + 1) % pools.length]?.id ?? null;
    const ids = new Map<string, number>();
    for (const name of [top, ...shuffledDescendants(random).map((name) => `${top}/${name}`)]) {
      const parent = ids.get(name.slice(0, name.lastIndexOf('/'))) ?? null;
      const id = datasets.length + 1;
      ids.set(name, id);
      const user = /^archive\/home(\/|$)/.test(name) ? ORDINARY_USER : owner;
      datasets.push({ id, name, parent, user, environment, pool, ...randomProperties(random) });
    }
  }
  return datasets;
}

/** The descendants in random order, but parents before children. Some of the deepest ones are left out. */
function shuffledDescendants(random: Random): readonly string[] {
  const depth = (name: string) => name.split('/').length;
  const kept = DESCENDANTS.filter((name) => depth(name) < 3 || random.chance(0.8));
  return random.shuffle(kept).sort((a, b) => depth(a) - depth(b));
}

function randomProperties(random: Random) {
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

/** Seeds the property history. Every tenth dataset has 60 rows, which is more than one page. */
export function seedPropertyHistories(random: Random, datasets: readonly SeedRow[]): SeedRow[] {
  const rows: SeedRow[] = [];
  for (const { id: dataset } of datasets) {
    const count = dataset % 10 === 1 ? 60 : random.int(0, 8);
    for (let index = 0; index < count; index += 1) {
      rows.push({
        id: rows.length + 1,
        dataset,
        name: random.pick(['used', 'referenced', 'avail']),
        value: random.chance(0.97) ? random.int(1, 200_000) : null,
        created_at: timeAfter(100_000 + index * 1440 + dataset),
      });
    }
  }
  return rows;
}
