// Implements the option `shuffledTimes`: the times of logs do not follow the ids, as if rows had been imported late.
import type { Random, SeedRow } from '../seed/random.ts';
import { TIME_COLUMNS } from './logs.ts';

/** Some tables have a few late rows, which are easily overlooked, and some have only late rows. */
const SHARES_OF_LATE_ROWS = [0.03, 0.3, 1] as const;

/** Exchanges the times of some rows of each log, so that as many rows tie as before. */
export function shuffleTimes(
  tables: Readonly<Record<string, readonly SeedRow[]>>,
  random: Random,
): Readonly<Record<string, readonly SeedRow[]>> {
  const changed = Object.entries(TIME_COLUMNS).map(([table, column]) => {
    const rows = tables[table] ?? [];
    const share = random.pick(SHARES_OF_LATE_ROWS);
    const late = rows.filter(() => random.chance(share));
    const sources = random.shuffle(late);
    const times = new Map(late.map(({ id }, index) => [id, sources[index]?.[column] ?? null]));
    return [
      table,
      rows.map((row) => ({ ...row, [column]: times.get(row.id) ?? row[column] ?? null })),
    ] as const;
  });
  return { ...tables, ...Object.fromEntries(changed) };
}
