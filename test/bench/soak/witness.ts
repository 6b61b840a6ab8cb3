// An innocent client in a process of its own, so that only the facade makes it wait: asks once, then each 100 ms, and measures.
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Agent, request } from 'undici';

/** What the process is sent first. */
export interface WitnessData {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the header among them that is the credential. */
  readonly tokenHeader: string;
}

/** One question and its end. */
export interface Testimony {
  readonly question: Question;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** The code of the first error, or a failure of the connection. Null: answered. */
  readonly failure: string | null;
  readonly isRetryable: boolean;
}

/** All testimonies, and the longest time for which the witness itself did not run, in milliseconds. */
export interface Report {
  readonly testimonies: readonly Testimony[];
  readonly longestAbsence: number;
}

export type Question = 'first query' | 'session, anonymous' | 'session, token' | 'query';

const INTERVAL = 100;
const SESSION = '{ session { authenticated } }';
const QUERY = '{ locations(first: 1) { nodes { id } } }';

const [{ url, headers, tokenHeader }] = (await once(process, 'message')) as [WitnessData];
const { [tokenHeader]: _, ...anonymous } = headers;
const agent = new Agent({ connections: null });
const delay = monitorEventLoopDelay({ resolution: 10 });
const testimonies: Testimony[] = [];
const open = new Set<Promise<void>>();

async function ask(question: Question, query: string, sent: Readonly<Record<string, string>>): Promise<void> {
  const startedAt = Date.now();
  const started = performance.now();
  let failure: string | null = null;
  let isRetryable = false;
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: { ...sent, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { errors } = (await answer.body.json()) as {
      errors?: readonly { extensions?: { code?: string; retryable?: boolean } }[];
    };
    const [error] = errors ?? [];
    if (error !== undefined) failure = error.extensions?.code ?? 'no code';
    isRetryable = error?.extensions?.retryable === true;
  } catch (error) {
    failure = String(error);
  }
  testimonies.push({ question, startedAt, ms: performance.now() - started, failure, isRetryable });
}

// For this answer, the facade assembles the schema of the witness. The others arrive after it.
await ask('first query', QUERY, headers);
process.send?.('ready');
const timer = setInterval(() => {
  const asked = [
    ask('session, anonymous', SESSION, anonymous),
    ask('session, token', SESSION, headers),
    ask('query', QUERY, headers),
  ];
  for (const one of asked) {
    open.add(one);
    void one.then(() => open.delete(one));
  }
}, INTERVAL);
delay.enable();

// The second message ends the testimony.
await once(process, 'message');
clearInterval(timer);
delay.disable();
await Promise.all(open);
await agent.close();
const report: Report = { testimonies, longestAbsence: delay.max / 1e6 };
// A large report is sent in parts; the channel closes after the last.
process.send?.(report, undefined, undefined, () => process.disconnect());
