// Runs the program with several workers.
import { expect } from 'vitest';
import { ADDRESS, runCli } from './cli.ts';
import { readJsonLines } from './json-lines.ts';
import type { RunningProcess } from './running-process.ts';
import type { OperationRequest, Result } from './transports.ts';
import { post } from './transports.ts';

/** The result of an operation, with the worker that executed it. */
export interface WorkerResult extends Result {
  readonly worker: number;
  readonly status: number;
}

/** The program with workers that serve. */
export interface WorkerProcesses extends AsyncDisposable {
  readonly primary: RunningProcess;
  /** The address of GraphQL. */
  readonly url: string;
  readonly origin: string;
  /** The process ids of the workers, by their numbers. */
  readonly pids: ReadonlyMap<number, number>;
  /** Sends an operation over a connection of its own. */
  ask(request: string | OperationRequest, headers?: Record<string, string>): Promise<WorkerResult>;
  /** Sends an operation until each worker has executed it, and returns one result of each. */
  askEach(
    request: string | OperationRequest,
    headers?: Record<string, string>,
  ): Promise<readonly WorkerResult[]>;
  /** The sums of a metric by worker. @param url Where the metrics are; default: at the port of GraphQL. */
  metric(name: string, url?: string): Promise<ReadonlyMap<string, number>>;
  /** Ends a worker at once. Resolves when another one serves in its place. */
  kill(worker: number): Promise<void>;
}

/** Headers that give a request a connection of its own, so that the next worker gets it. */
export const OWN_CONNECTION = { connection: 'close' };

/** Milliseconds for what takes longer on a busy machine. */
export const WAIT = { timeout: 10_000 };

/** The line when all workers serve, at the start and after each replacement. */
const ALL_SERVE = 'all 2 workers serve';

/** Starts the program in front of an API, with two workers. */
export async function startWorkers(
  upstream: string | URL,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<WorkerProcesses> {
  const primary = runCli(['--workers', '2', '--port', '0', '--upstream', String(upstream), ...args], env);
  const [, url = ''] = await primary.waitForOutput(ADDRESS);
  const { origin } = new URL(url);
  await primary.waitForOutput(new RegExp(ALL_SERVE));
  const workerOf = (requestId: string): string | undefined =>
    new RegExp(`"worker":(\\d+),"event":"operation","requestId":"${requestId}"`).exec(primary.stdout)?.[1];
  const pids = (): ReadonlyMap<number, number> =>
    new Map(
      readJsonLines(completeLines(primary.stdout)).flatMap(({ worker, pid }) =>
        worker === undefined ? [] : [[worker, pid]],
      ),
    );
  // The first lines of a worker may follow the primary's line.
  await expect.poll(() => pids().size, WAIT).toBe(2);
  const ask: WorkerProcesses['ask'] = async (request, headers = {}) => {
    const response = await post(url, typeof request === 'string' ? { query: request } : request, {
      ...OWN_CONNECTION,
      ...headers,
    });
    const { status } = response;
    const result = (await response.json()) as Result;
    const requestId = response.headers.get('x-request-id') ?? '';
    await expect.poll(() => workerOf(requestId), WAIT).toBeDefined();
    return { ...result, status, worker: Number(workerOf(requestId)) };
  };
  return {
    primary,
    url,
    origin,
    get pids() {
      return pids();
    },
    ask,
    async askEach(request, headers) {
      const results = new Map<number, WorkerResult>();
      while (results.size < 2) {
        const result = await ask(request, headers);
        if (!results.has(result.worker)) results.set(result.worker, result);
      }
      return [...results.values()];
    },
    async metric(name, metrics = `${origin}/metrics`) {
      const text = await (await fetch(metrics, { headers: OWN_CONNECTION })).text();
      const lines = text.matchAll(new RegExp(`^${name}\\{(?:.*,)?worker="(\\w+)"\\} (.+)$`, 'gm'));
      const values = new Map<string, number>();
      for (const [, worker = '', value] of lines)
        values.set(worker, (values.get(worker) ?? 0) + Number(value));
      return values;
    },
    async kill(worker) {
      const before = primary.stdout.split(ALL_SERVE).length - 1;
      process.kill(pids().get(worker) ?? 0, 'SIGKILL');
      await primary.waitForOutput(new RegExp(`(${ALL_SERVE}.*){${before + 1}}`, 's'));
    },
    [Symbol.asyncDispose]: () => primary[Symbol.asyncDispose](),
  };
}

/** The last line of an output may be incomplete. */
const completeLines = (output: string): string => output.slice(0, output.lastIndexOf('\n') + 1);
