// Starts all measured servers, and proves that they give the same answers.
import { isDeepStrictEqual } from 'node:util';
import type { ServerProcess } from '../server-process.ts';
import { quantile } from '../table.ts';
import { LoadClient } from './load.ts';
import type { QueryName } from './queries.ts';
import type { MeasuredServer, Stub } from './servers.ts';

/** A server that runs. */
export interface RunningServer {
  readonly name: string;
  readonly process: ServerProcess;
  readonly url: string;
}

/** How a server starts. */
export interface Start {
  readonly server: string;
  /** Milliseconds from the start of the process to the first answer; the median of the starts. */
  readonly firstAnswer: number;
  /** Resident memory after the first answer, in MiB; the median of the starts. */
  readonly rss: number;
}

/** Starts each server a number of times, and measures that. Adds the last process of each to `running`. */
export async function startServers(
  servers: readonly MeasuredServer[],
  stub: Stub,
  starts: number,
  running: RunningServer[],
): Promise<readonly Start[]> {
  const figures: Start[] = [];
  for (const { name, start } of servers) {
    const times: number[] = [];
    const sizes: number[] = [];
    for (let left = starts; left > 0; left -= 1) {
      const startedAt = performance.now();
      const process = await start(stub.url);
      const url = process.ready[0] ?? '';
      await askOnce(url, 'Q1');
      times.push(performance.now() - startedAt);
      sizes.push(process.rss());
      if (left > 1) await process[Symbol.asyncDispose]();
      else running.push({ name, process, url });
    }
    figures.push({ server: name, firstAnswer: Math.round(quantile(times, 0.5)), rss: quantile(sizes, 0.5) });
  }
  return figures;
}

/** The data of one answer. */
export async function askOnce(url: string, query: QueryName): Promise<unknown> {
  const client = new LoadClient(url, 1, 1);
  try {
    return JSON.parse(await client.ask(query)).data;
  } finally {
    await client.close();
  }
}

/** @throws Error when a server gives another answer than the first one. */
export async function expectSameAnswers(
  servers: readonly RunningServer[],
  queries: readonly QueryName[],
): Promise<void> {
  for (const query of queries) {
    const [first, ...others] = await Promise.all(
      servers.map(async ({ name, url }) => ({ name, data: await askOnce(url, query) })),
    );
    const different = others.find(({ data }) => !isDeepStrictEqual(data, first?.data));
    if (different !== undefined) {
      const show = (data: unknown): string => JSON.stringify(data).slice(0, 1_000);
      throw new Error(
        `${query} differs.\n${first?.name}: ${show(first?.data)}\n${different.name}: ${show(different.data)}`,
      );
    }
  }
}
