// Judges a soak: one row for each promise, with what was found.
import type { Row } from '../table.ts';
import type { Holding, Sample } from './facade-process.ts';
import type { Load } from './load.ts';
import type { WitnessResult } from './watch-witness.ts';

/** What a soak has measured. */
export interface Findings {
  readonly before: Holding;
  readonly after: Holding;
  readonly samples: readonly Sample[];
  readonly writes: { readonly counts: Readonly<Record<string, number>>; readonly wrong: readonly string[] };
  readonly witness: WitnessResult;
  readonly load: Load;
  /** Requests that reached the sandbox in the five seconds after the pause, as methods and paths. */
  readonly lateRequests: readonly string[];
  readonly openPolls: number;
  readonly hasEnded: boolean;
  /** Of the process, after SIGTERM. */
  readonly exitCode: number | null;
}

/** One promise and whether it was kept. */
export interface Promised {
  readonly promise: string;
  readonly found: string;
  readonly isKept: boolean;
}

/** The heap may have grown by this share and this number of MiB: bounded caches of callers, documents and rows fill. */
const HEAP_SHARE = 1.2;
const HEAP_MIB = 16;
/** The allocator keeps memory that the heap no longer uses. MiB. */
const RSS_GROWTH = 256;
/** Idle connections to the API, which stay open for some seconds. */
const DESCRIPTORS = 8;
const TIMERS = 5;

export function judge(findings: Findings): readonly Promised[] {
  const { before, after, samples, writes, witness, load, lateRequests, openPolls } = findings;
  const highest = (values: readonly number[]): number => Math.max(0, ...values);
  const sum = (what: string): number =>
    [...load.counts].reduce((total, [name, count]) => (name.endsWith(what) ? total + count : total), 0);
  const unexplained = [...load.counts].filter(([name]) => name.includes(': unexplained '));
  const watched = sum(': watched');
  const final = sum(': final states');
  return [
    {
      promise: 'the process stays up, and ends with code 0 at SIGTERM',
      found: findings.hasEnded ? 'ended by itself' : `code ${findings.exitCode}`,
      isKept: !findings.hasEnded && findings.exitCode === 0,
    },
    {
      promise: 'the witness is answered within 1 s, and fails only where the API does',
      found: `${witness.wrong.length} late or failed; longest absence of the witness itself ${witness.longestAbsence} ms`,
      isKept: witness.wrong.length === 0,
    },
    {
      promise: 'a write that succeeded is found once, a refused one never, others at most once',
      found: `${Object.values(writes.counts).reduce((a, b) => a + b, 0)} writes, ${writes.wrong.length} wrong`,
      isKept: writes.wrong.length === 0,
    },
    {
      promise: 'each subscription ends with the final state of its action',
      found: `${final} of ${watched}`,
      isKept: final === watched,
    },
    {
      promise: 'callers have no errors but those of upstream faults',
      found: unexplained.map(([name, count]) => `${name} ${count}`).join('; ') || 'none',
      isKept: unexplained.length === 0,
    },
    {
      promise: 'memory returns (used heap and buffers after a collection)',
      found: `${before.heap} MiB before, ${after.heap} MiB after`,
      isKept: after.heap <= before.heap * HEAP_SHARE + HEAP_MIB,
    },
    {
      promise: 'memory returns (resident)',
      found: `${before.rss} MiB before, ${highest(samples.map(({ rss }) => rss))} MiB at most, ${after.rss} MiB after`,
      isKept: after.rss <= before.rss + RSS_GROWTH,
    },
    {
      promise: 'sockets and files are closed',
      found: `${before.descriptors} descriptors before, ${highest(samples.map(({ descriptors }) => descriptors))} at most, ${after.descriptors} after; sockets ${before.sockets} and ${after.sockets}`,
      isKept: after.descriptors <= before.descriptors + DESCRIPTORS,
    },
    {
      promise: 'timers end',
      found: `${before.timers} before, ${after.timers} after`,
      isKept: after.timers <= before.timers + TIMERS,
    },
    {
      promise: 'pollers end',
      found: `${lateRequests.length} upstream requests in 5 s, ${openPolls} open polls`,
      isKept: lateRequests.length === 0 && openPolls === 0,
    },
  ];
}

export const toRows = (promises: readonly Promised[]): readonly Row[] =>
  promises.map(({ promise, found, isKept }) => ({ promise, found, kept: isKept ? 'yes' : 'NO' }));
