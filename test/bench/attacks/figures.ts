// Makes tables of the figures of attacks, and judges them by the aims.
import { quantile, type Row, rounded } from '../table.ts';
import type { FloodFigures, LightFigures, LightReport } from './orders.ts';
import { addOutcomes, countUnanswered } from './tally.ts';

/** What happened in one scene. */
export interface SceneFigures {
  readonly name: string;
  readonly title: string;
  readonly light: LightFigures;
  /** Null: nobody else was there. */
  readonly floods: FloodFigures | null;
  readonly server: ServerFigures;
}

/** What the server used in one scene. */
export interface ServerFigures {
  /** The longest turn of its event loop without what it waited for a core, in milliseconds; 0 where none was long. */
  readonly longestBlock: number;
  /** Resident memory before the scene, and the most until its end. MiB. */
  readonly rss: number;
  readonly peakRss: number;
  /** Of one core, in the time of the floods. */
  readonly cpuShare: number;
  /** Milliseconds for which its main thread waited for a core. */
  readonly waited: number;
  /** Milliseconds of processor time of all that is not part of the bench. */
  readonly foreign: number;
  /** What the processes that load it, and the API, used of their cores. */
  readonly loadShare: number;
}

/** The aims on an idle machine with two cores: milliseconds, and MiB. Clients that share the address of an attacker share its budget. */
const AIMS = { p99: 250, block: 150, memory: 1_024 } as const;

/** The group of light clients at the address of an attacker. */
export const SHARED = 'shared address';

/** The share of their core above which the processes that load the server may be what is slow. */
const BUSY = 0.9;
/** Milliseconds of processor time of other processes with which a machine is not idle. */
const IDLE = 500;
/** Milliseconds for which the server, or a light client, may wait because of other processes. */
const NOISE = 20;

const waitsOf = ({ waits }: LightReport) => ({
  'p50 ms': quantile(waits, 0.5),
  'p95 ms': quantile(waits, 0.95),
  'p99 ms': quantile(waits, 0.99),
  'max ms': rounded(Math.max(...waits)),
});

/** One row for each scene and group of light clients. */
export const waitTable = (scenes: readonly SceneFigures[]): readonly Row[] =>
  scenes.flatMap(({ name, light }) =>
    light.groups.map((report) => {
      const { outcomes } = report;
      return {
        scene: name,
        'light client': `${report.group}, ${report.over}`,
        answers: outcomes.answered,
        ...waitsOf(report),
        'not answered': refusalsOf(outcomes.refused, countUnanswered(outcomes)),
      };
    }),
  );

/** One row for each scene. */
export const serverTable = (scenes: readonly SceneFigures[]): readonly Row[] =>
  scenes.map(({ name, floods, server }) => {
    const outcomes = floods?.outcomes ?? addOutcomes([]);
    return {
      scene: name,
      'longest block ms': rounded(server.longestBlock),
      'RSS MiB': server.rss,
      'peak MiB': server.peakRss,
      'CPU %': Math.round(100 * server.cpuShare),
      'heavy: sent': outcomes.sent,
      left: outcomes.left,
      answered: outcomes.answered,
      unanswered: countUnanswered(outcomes),
      refused: refusalsOf(outcomes.refused, 0),
    };
  });

/** One row for each scene, for the documents. */
export const summaryTable = (scenes: readonly SceneFigures[]): readonly Row[] =>
  scenes.map(({ title, light, floods, server }) => {
    const waits = light.groups.flatMap((report) => report.waits);
    const outcomes = floods?.outcomes ?? addOutcomes([]);
    return {
      'what others send': title,
      p50: quantile(waits, 0.5),
      p99: quantile(waits, 0.99),
      longest: rounded(Math.max(...waits)),
      block: rounded(server.longestBlock),
      memory: server.peakRss,
      answered: outcomes.answered,
      refused: Object.values(outcomes.refused).reduce((sum, count) => sum + count, 0),
      neither: countUnanswered(outcomes),
    };
  });

function refusalsOf(refused: Readonly<Record<string, number>>, unanswered: number): string {
  const all = Object.entries(refused).map(([code, count]) => `${code} ${count}`);
  if (unanswered > 0) all.push(`unanswered ${unanswered}`);
  return all.join(', ');
}

/** What of a scene was due to the machine or to the processes that load the server. */
export function findNoise({ name, light, floods, server }: SceneFigures): readonly string[] {
  const found: string[] = [];
  const ms = (value: number): string => `${Math.round(value)} ms`;
  if (server.loadShare > BUSY)
    found.push(
      `the clients and the API used ${Math.round(100 * server.loadShare)} % of their core, and may be what is slow`,
    );
  if (server.foreign > IDLE) found.push(`other processes used ${ms(server.foreign)} of the processors`);
  if (server.waited > NOISE) found.push(`the server waited ${ms(server.waited)} in all for its core`);
  if (light.ownBlock > NOISE)
    found.push(`waits are up to ${ms(light.ownBlock)} too long, for which the light clients were busy`);
  if ((floods?.ownBlock ?? 0) > AIMS.p99)
    found.push(`the heavy clients were busy for ${ms(floods?.ownBlock ?? 0)}`);
  return found.map((line) => `${name}: ${line}`);
}

/** The aims that a scene misses. */
export function findBroken({ name, light, floods, server }: SceneFigures): readonly string[] {
  const broken: string[] = [];
  for (const report of light.groups.filter(({ group }) => group !== SHARED)) {
    const who = `${report.group}, ${report.over}`;
    const { 'p99 ms': p99 } = waitsOf(report);
    if (!(p99 <= AIMS.p99)) broken.push(`${who}: p99 ${p99} ms, at most ${AIMS.p99}`);
    const { sent, answered } = report.outcomes;
    if (answered < sent) broken.push(`${who}: ${sent - answered} of ${sent} not answered`);
  }
  if (server.peakRss > AIMS.memory) broken.push(`${server.peakRss} MiB, at most ${AIMS.memory}`);
  if (server.longestBlock > AIMS.block)
    broken.push(`event loop blocked for ${rounded(server.longestBlock)} ms, at most ${AIMS.block}`);
  const unanswered = floods === null ? 0 : countUnanswered(floods.outcomes);
  if (unanswered > 0) broken.push(`${unanswered} operations neither answered nor refused`);
  return broken.map((line) => `${name}: ${line}`);
}
