// Starts the witness, and judges what it saw.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { quantile, type Row, rounded } from '../table.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { Question, Report, Testimony, WitnessData } from './witness.ts';

/** Longest time for an answer to the witness. Milliseconds. */
const LONGEST_ANSWER = 1_000;

/** What the witness saw. */
export interface WitnessResult {
  readonly rows: readonly Row[];
  /** Longest time for which the witness itself did not run. Milliseconds. */
  readonly longestAbsence: number;
  /** Answers that were late, and failures that no fault explains. */
  readonly wrong: readonly string[];
}

/** Starts the witness, and waits for its first answer. Call the result to stop it. */
export async function startWitness(
  data: WitnessData,
  proxy: FaultProxy,
): Promise<() => Promise<WitnessResult>> {
  const child = fork(new URL('./witness.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  process.once('exit', () => child.kill());
  child.send(data);
  await once(child, 'message');
  return async () => {
    child.send('end');
    const [report] = (await once(child, 'message')) as [Report];
    return judge(report, proxy);
  };
}

function judge({ testimonies, longestAbsence }: Report, proxy: FaultProxy): WitnessResult {
  const isExcused = ({ question, startedAt, ms }: Testimony): boolean =>
    question === 'query' && proxy.hadFault(startedAt, startedAt + ms);
  const isWrong = (one: Testimony): boolean =>
    (one.failure !== null && !(isExcused(one) && one.isRetryable)) ||
    (one.ms > LONGEST_ANSWER && one.question !== 'first query' && !isExcused(one));
  const row = (name: string, some: readonly Testimony[]): Row => {
    const times = some.map(({ ms }) => ms);
    return {
      'request of the witness': name,
      answers: some.length,
      'p50 ms': quantile(times, 0.5),
      'p99 ms': quantile(times, 0.99),
      'longest ms': Math.round(Math.max(0, ...times)),
      'over 1 s': times.filter((ms) => ms > LONGEST_ANSWER).length,
      failures: some.filter(({ failure }) => failure !== null).length,
    };
  };
  const of = (wanted: Question): readonly Testimony[] =>
    testimonies.filter(({ question }) => question === wanted);
  return {
    rows: [
      row('query, before all others', of('first query')),
      row('session, anonymous', of('session, anonymous')),
      row('session, with a token', of('session, token')),
      row(
        'query, no fault',
        of('query').filter((one) => !isExcused(one)),
      ),
      row('query, during faults', of('query').filter(isExcused)),
    ],
    longestAbsence: rounded(longestAbsence),
    wrong: testimonies.filter(isWrong).map(describe),
  };
}

function describe({ question, startedAt, ms, failure }: Testimony): string {
  const at = new Date(startedAt).toISOString();
  return `${at} ${question}: ${failure ?? 'answered late'} after ${Math.round(ms)} ms`;
}
