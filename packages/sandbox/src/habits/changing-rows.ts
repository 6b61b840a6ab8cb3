// Implements the option `changingRows`: rows of logs are added and deleted between any two calls.
import type { Item, Row } from '../engine/definition.ts';
import type { List, ListHabit } from '../engine/lists.ts';
import { formatTime, type Random } from '../seed/random.ts';
import { TIME_COLUMNS } from './logs.ts';

/** The most rows by which a table grows or shrinks, so that a sandbox can run for ever. */
const MOST_CHANGE = 20;

/** The probability that a list gains a row when it has been read, and that it loses one. */
const CHANGE = 0.5;

/**
 * Changes a log after it has been read. A new row is a copy of another one with the newest time or a second more.
 * @param importsLate Whether some new rows have the time of any other row.
 */
export function changeRows(random: Random, importsLate: boolean): ListHabit {
  const growth = new Map<string, number>();

  return (list, { store, action }, next) => {
    const outcome = next(list);
    const { table = '' } = action.resource.definition;
    const column = TIME_COLUMNS[table];
    const pickRow = (): Row | undefined => list.rows[random.int(0, list.rows.length - 1)];
    const copied = pickRow();
    const dropped = pickRow();
    if (column === undefined || !copied || !dropped) return outcome;
    let grown = growth.get(table) ?? 0;
    if (grown < MOST_CHANGE && random.chance(CHANGE)) {
      grown += 1;
      const time = importsLate && random.chance(0.5) ? copied[column] : pickNewTime(list, column);
      store.insert(table, { ...copied, [column]: time });
    }
    if (grown > -MOST_CHANGE && random.chance(CHANGE)) {
      grown -= 1;
      // The next page begins behind the last row of this one.
      const last = outcome.ok && random.chance(0.25) ? idOf(outcome.items.at(-1)) : undefined;
      store.remove(table, last ?? dropped.id);
    }
    growth.set(table, grown);
    return outcome;
  };

  function pickNewTime({ rows }: List, column: string): string {
    const newest = Math.max(...rows.map((row) => Date.parse(String(row[column]))));
    return formatTime(newest + random.int(0, 1) * 1000);
  }
}

const idOf = (item: Item | undefined): number | undefined => {
  const id = item?.['id'];
  return typeof id === 'number' ? id : undefined;
};
