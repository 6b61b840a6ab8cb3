// Defines the options that give a sandbox the habits of real servers, and applies them.
import type { ResourceDefinition } from '../engine/definition.ts';
import type { FailingIncludes } from '../engine/handler.ts';
import type { SeedRow } from '../seed/random.ts';
import { withLiveLog, withLogRows } from './live-log.ts';

/** The habits of real servers that a sandbox can have. All are off by default, and any of them can be combined. */
export interface Habits {
  /** The maximum number of rows that a list with a limit returns, also for a higher limit or none. Default: null, none. */
  readonly clampedLimit?: number | null;
  /** The associations whose inclusion fails with status 500, by the scope of the action. Default: none. */
  readonly failingIncludes?: FailingIncludes;
  /**
   * Property histories are sorted newest first by time, and `from_id` lists the ids below it. That of dataset 1 has 2,200 rows,
   * some with equal times, and gets a new first row after this number of reads, at least 1. Default: null, off.
   */
  readonly liveLog?: number | null;
}

type Tables = Readonly<Record<string, readonly SeedRow[]>>;
type Definitions = Readonly<Record<string, ResourceDefinition>>;

/** Applies habits to the initial tables and to the resources of version 7.0. */
export function applyHabits(
  { liveLog = null }: Habits,
  tables: Tables,
  resources: Definitions,
): { readonly tables: Tables; readonly resources: Definitions } {
  if (liveLog === null) return { tables, resources };
  return { tables: withLogRows(tables), resources: withLiveLog(liveLog) };
}
