// Implements the option `liveLog`: a long log, sorted by descending time with equal times, which grows while clients read it.
import { index } from '../actions/actions.ts';
import type { ActionDefinition, ResourceDefinition, Row } from '../engine/definition.ts';
import { descendingBy } from '../engine/lists.ts';
import type { Store } from '../engine/store.ts';
import { dataset } from '../resources/datasets/dataset.ts';
import { historyList, propertyHistory } from '../resources/datasets/dataset-nested.ts';
import { resources } from '../resources/resources.ts';
import { createRandom, formatTime, type SeedRow, timeAfter } from '../seed/random.ts';

const TABLE = 'property_histories';

/** The id of the dataset whose property history is the log. */
const LOGGED_DATASET = 1;

/** The number of rows of the log at the start. */
const SEEDED_ROWS = 2_200;

/** The maximum number of rows with the same time. They are sorted by ascending id. */
const LARGEST_TIE = 4;

/**
 * The resources of version 7.0, with property histories that are newest first by time and list the ids below `from_id`.
 * @param every The number of reads of the log after which a new first row is added.
 */
export function withLiveLog(every: number): Readonly<Record<string, ResourceDefinition>> {
  const actions = { ...propertyHistory.actions, index: createLiveIndex(every) };
  const nested = { ...dataset.resources, property_history: { ...propertyHistory, actions } };
  return { ...resources, dataset: { ...dataset, resources: nested } };
}

/** The tables of the seed, with enough rows in the log. */
export function withLogRows(
  tables: Readonly<Record<string, readonly SeedRow[]>>,
): Readonly<Record<string, readonly SeedRow[]>> {
  const { int } = createRandom(25);
  const rows = [...(tables[TABLE] ?? [])];
  let missing = SEEDED_ROWS - rows.filter(isLogRow).length;
  for (let minutes = 200_000; missing > 0; minutes += 30) {
    const tied = Math.min(missing, int(1, LARGEST_TIE));
    missing -= tied;
    for (let index = 0; index < tied; index += 1)
      rows.push({ id: rows.length + 1, ...createRow(int(1, 200_000), timeAfter(minutes)) });
  }
  return { ...tables, [TABLE]: rows };
}

function createLiveIndex(every: number): ActionDefinition {
  // The sort is stable, so rows with the same time stay sorted by ascending id.
  const list = index({ ...historyList, order: descendingBy('created_at'), fromIdKeeps: 'below' });
  let reads = 0;
  return {
    ...list,
    async execute(call) {
      const outcome = await list.execute(call);
      if (outcome.ok && call.pathParams[0] === String(LOGGED_DATASET)) {
        reads += 1;
        if (reads % every === 0) insertNewestRow(call.store);
      }
      return outcome;
    },
  };
}

/** Adds a row that is a second newer than any other, so that it is the first row. */
function insertNewestRow(store: Store): void {
  const newest = Math.max(...store.rows(TABLE).filter(isLogRow).map(readTime));
  store.insert(TABLE, createRow(SEEDED_ROWS, formatTime(newest + 1000)));
}

const createRow = (value: number, created_at: string) => ({
  dataset: LOGGED_DATASET,
  name: 'used',
  value,
  created_at,
});

const isLogRow = (row: Row): boolean => row['dataset'] === LOGGED_DATASET;
const readTime = (row: Row): number => Date.parse(String(row['created_at']));
