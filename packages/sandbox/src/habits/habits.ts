// Defines the options that give a sandbox the habits of real servers, and applies them.
import type { ResourceDefinition } from '../engine/definition.ts';
import type { FailingIncludes } from '../engine/handler.ts';
import type { ListHabit } from '../engine/lists.ts';
import { createRandom, type SeedRow } from '../seed/random.ts';
import { changeRows } from './changing-rows.ts';
import { type BrokenRows, clampLimit, countHiddenRows, failAtBrokenRows } from './list-habits.ts';
import { withLiveLog, withLogRows } from './live-log.ts';
import { logResources, seedLogs } from './logs.ts';
import { shuffleTimes } from './shuffled-times.ts';
import { type UnsentOutputs, withoutOutputs } from './unsent-outputs.ts';
import { pairTimes, shuffleTies } from './unstable-ties.ts';

/** The habits of real servers that a sandbox can have. All are off by default, and any of them can be combined. */
export interface Habits {
  /**
   * The resources `user_session` (newest first, seven rows a time), `oom_report` (oldest first) and `ip_address_assignment`
   * (newest first, two rows a time), with this number of sessions and a third as many of the others. Default: 700 with
   * `unstableTies`, `shuffledTimes` or `changingRows`, else null: they do not exist.
   */
  readonly logs?: number | null;
  /**
   * Rows that tie in the order of a list come in an order that depends on the limit and on chance. Histories are sorted by time and
   * DNS records by name, so that they have ties. Default: false.
   */
  readonly unstableTies?: boolean;
  /** The times of logs and property histories do not follow their ids. Default: false. */
  readonly shuffledTimes?: boolean;
  /** Each list of a log or a property history can gain and lose a row after it has been read. Default: false. */
  readonly changingRows?: boolean;
  /** The maximum number of rows that a list with a limit returns, also for a higher limit or none. Default: null, none. */
  readonly clampedLimit?: number | null;
  /** Counts include rows that the caller does not see. Default: false. */
  readonly wideCount?: boolean;
  /** Ids by the scope of a list. A list answers 404 "object not found" when its page contains one of them. Default: none. */
  readonly brokenRows?: BrokenRows;
  /** Outputs that are described and never sent, by the dotted path of the resource. Default: none. */
  readonly unsentOutputs?: UnsentOutputs;
  /** The associations whose inclusion fails with status 500, by the scope of the action. Default: none. */
  readonly failingIncludes?: FailingIncludes;
  /**
   * Property histories are sorted newest first by time, and `from_id` lists the ids below it. That of dataset 1 has 2,200 rows,
   * some with equal times, and gets a new first row after this number of reads, at least 1. Default: null, off.
   */
  readonly liveLog?: number | null;
  /** The seed of all that is left to chance. Default: 1. */
  readonly habitSeed?: number;
}

type Tables = Readonly<Record<string, readonly SeedRow[]>>;
type Definitions = Readonly<Record<string, ResourceDefinition>>;

const DEFAULT_SESSIONS = 700;

/** Applies habits to the initial tables and to the resources of version 7.0, and returns what lists do. */
export function applyHabits(
  habits: Habits,
  seeded: Tables,
  definitions: Definitions,
): { readonly tables: Tables; readonly resources: Definitions; readonly listHabits: readonly ListHabit[] } {
  const { unstableTies = false, shuffledTimes = false, changingRows = false, wideCount = false } = habits;
  const { clampedLimit = null, liveLog = null, brokenRows, unsentOutputs, habitSeed = 1 } = habits;
  const logs = habits.logs ?? (unstableTies || shuffledTimes || changingRows ? DEFAULT_SESSIONS : null);
  const random = createRandom(habitSeed);

  let tables = seeded;
  if (liveLog !== null) tables = withLogRows(tables);
  if (logs !== null) tables = { ...tables, ...seedLogs(logs, tables['vpses']?.length ?? 1) };
  if (shuffledTimes) tables = shuffleTimes(tables, random);
  if (unstableTies) tables = pairTimes(tables);

  let resources = liveLog === null ? definitions : withLiveLog(liveLog);
  if (logs !== null) resources = { ...resources, ...logResources };
  if (unsentOutputs) resources = withoutOutputs(resources, unsentOutputs);

  const listHabits = [
    changingRows && changeRows(random, shuffledTimes),
    brokenRows && failAtBrokenRows(brokenRows),
    clampedLimit !== null && clampLimit(clampedLimit),
    wideCount && countHiddenRows,
    unstableTies && shuffleTies(habitSeed, random),
  ].filter((habit) => typeof habit === 'function');
  return { tables, resources, listHabits };
}
