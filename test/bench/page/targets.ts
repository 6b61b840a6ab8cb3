// Judges the figures of all benches by what they are to reach.
import type { AllFigures } from '../figures-file.ts';
import { ALONE, BUSY, findFigures, type Load } from '../requests/figures.ts';
import type { QueryName } from '../requests/queries.ts';
import { OURS, OURS_WITH_INCLUDES, RAW, REFERENCE } from '../requests/servers.ts';
import { compareCpu } from '../requests/tables.ts';
import type { RequestFigures } from '../requests.bench.ts';
import { type Row, rounded } from '../table.ts';

type Key = 'cpu' | 'p50' | 'perSecond' | 'calls';

/** A row for each target whose figures are there. */
export function judgeTargets({ requests, assembly, subscribers, memory }: AllFigures): readonly Row[] {
  return [
    ...(requests === undefined ? [] : judgeRequests(requests.figures)),
    ...(requests?.figures.starts ?? [])
      .filter(({ server }) => server === OURS)
      .flatMap(({ firstAnswer, rss }) => [
        atMost('first answer after start, ms', firstAnswer, 900),
        atMost('RSS then, MiB', rss, 120),
      ]),
    ...(assembly?.figures ?? []).map((row) =>
      atMost(`longest block by the schema of ${row['actions']} actions, ms`, row['longest block ms'], 100),
    ),
    ...(subscribers?.figures ?? []).filter((row) => row['subscribers'] === 5_000).flatMap(judgeSubscribers),
    ...(memory?.figures ?? []).map((row) => ({
      what: `memory over ${row['load']}, MiB`,
      found: `${row['second third']}, then ${row['last third']}`,
      target: 'flat',
      reached: row['flat'] ?? '',
    })),
  ];
}

function judgeRequests({ figures, direct }: RequestFigures): readonly Row[] {
  const read = (server: string, query: QueryName, load: Load, key: Key): number =>
    findFigures(figures, server, query, load)?.[key] ?? Number.NaN;
  const byReference = (query: QueryName): Row => {
    const share = read(OURS, query, BUSY, 'perSecond') / read(REFERENCE, query, BUSY, 'perSecond');
    return atLeast(`${query}: requests a second, by ${REFERENCE}`, share, 1);
  };
  const added = read(OURS, 'Q1', ALONE, 'p50') - direct;
  const shareOfRaw = read(OURS, 'Q3', ALONE, 'p50') / read(RAW, 'Q3', ALONE, 'p50');
  const shareOfReference = read(OURS_WITH_INCLUDES, 'Q4', ALONE, 'p50') / read(REFERENCE, 'Q4', ALONE, 'p50');
  return [
    ...compareCpu(figures).map((row) => ({
      what: `${row['query']}: CPU time of an answer, by ${REFERENCE}`,
      found: row['ratio'] ?? '',
      target: row['target'] ?? '',
      reached: row['reached'] ?? '',
    })),
    byReference('Q2'),
    byReference('Q4'),
    atMost('Q3: upstream calls', read(OURS, 'Q3', BUSY, 'calls'), 63),
    atMost('Q3 with includes: upstream calls', read(OURS_WITH_INCLUDES, 'Q3', BUSY, 'calls'), 51),
    atMost('Q4 with includes: upstream calls', read(OURS_WITH_INCLUDES, 'Q4', BUSY, 'calls'), 1),
    atMost(`Q3 alone at ${ALONE.latency} ms latency: p50, by ${RAW}`, shareOfRaw, 1.2),
    atMost(`Q4 with includes, alone at ${ALONE.latency} ms: p50, by ${REFERENCE}`, shareOfReference, 0.25),
    atMost(`Q1 alone at ${ALONE.latency} ms latency: p50 above a direct read, ms`, added, 1.5),
  ].filter(({ found }) => !Number.isNaN(found));
}

function judgeSubscribers(row: Row): readonly Row[] {
  const who = `${row['subscribers']} subscribers of ${row['actions']} actions`;
  return [
    atLeast(`${who}: delivered, %`, row['delivered %'], 100),
    atMost(`${who}: median delay, by the poll interval`, row['delay / poll interval'], 0.5),
    atMost(`${who}: CPU, % of a core`, row['CPU %'], 30),
    atMost(`${who}: all started, s`, row['all started s'], 5),
    atMost(`${who}: RSS, MiB`, row['RSS MiB'], 320),
    atMost(`${who}: KiB each`, row['KiB each'], 35),
  ];
}

const atMost = (what: string, found: string | number | undefined, target: number): Row => ({
  what,
  found: rounded(Number(found), 2),
  target: `at most ${target}`,
  reached: Number(found) <= target ? 'yes' : 'NO',
});

const atLeast = (what: string, found: string | number | undefined, target: number): Row => ({
  what,
  found: rounded(Number(found), 2),
  target: `at least ${target}`,
  reached: Number(found) >= target ? 'yes' : 'NO',
});
