// Measures how long the assembly of a large schema takes, what it holds, and how long it blocks other callers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { type DescriptionFile, writeLargeDescriptions } from './assembly/large-descriptions.ts';
import { askOnce } from './requests/running-servers.ts';
import { SERVE_READY, Stub, serveArgs } from './requests/servers.ts';
import { PROBED, ServerProcess } from './server-process.ts';
import { TOKEN_HEADER } from './stub/description.ts';
import { quantile, type Row, rounded } from './table.ts';

/** What assemble-once.ts prints. */
interface Sample {
  readonly types: number;
  /** Milliseconds. */
  readonly total: number;
  /** MiB. */
  readonly heap: number;
}

const RUNS = 5;

/** Longest time that an assembly may block other work, in milliseconds. */
const TARGET = 100;

const script = fileURLToPath(new URL('assembly/assemble-once.ts', import.meta.url));

/** Assembly in fresh processes, because the first run is the one users wait for, and in a server that has another caller. */
export async function benchAssembly(isQuick: boolean): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'optiongraph-bench-'));
  try {
    const rows: Row[] = [];
    for (const file of writeLargeDescriptions(folder)) rows.push(await measure(file, isQuick ? 1 : RUNS));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(file: DescriptionFile, runs: number): Promise<Row> {
  const samples = Array.from({ length: runs }, (): Sample => {
    const args = ['--import', 'tsx', '--expose-gc', script, file.path];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  });
  const blocks: number[] = [];
  for (let run = 0; run < runs; run += 1) blocks.push(await measureBlock(file));
  const median = (key: keyof Sample): number =>
    quantile(
      samples.map((sample) => sample[key]),
      0.5,
    );
  const blocked = rounded(Math.max(...blocks));
  return {
    description: file.name,
    actions: file.actions,
    kB: Math.round(statSync(file.path).size / 1_000),
    types: median('types'),
    'assembly ms': median('total'),
    'heap MiB': median('heap'),
    'longest block ms': blocked,
    [`at most ${TARGET} ms`]: blocked <= TARGET ? 'yes' : 'NO',
  };
}

/** The longest block of the server's event loop while the schema of a new caller is made, in milliseconds. */
async function measureBlock({ path }: DescriptionFile): Promise<number> {
  await using stub = await Stub.start();
  const args = [...PROBED, ...serveArgs(stub.urlOf(false))];
  await using server = await ServerProcess.start({ args, ready: SERVE_READY, isMeasured: true });
  const [url = ''] = server.ready;
  await askOnce(url, 'Q1');
  await stub.tell({ wideDescription: path });
  await server.startWatching();
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [TOKEN_HEADER]: 'wide' },
    body: JSON.stringify({ query: '{ __typename __schema { types { name } } }' }),
  });
  const text = await body.text();
  if (statusCode !== 200 || text.includes('"errors":'))
    throw new Error(`answered ${statusCode}: ${text.slice(0, 500)}`);
  return await server.longestBlock();
}
