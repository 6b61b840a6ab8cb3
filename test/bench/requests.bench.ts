// Measures operations of the facade beside plain REST calls for the same data.
import { Pool } from 'undici';
import { ON_TERMINAL, runCli } from '../helpers/cli.ts';
import { type Comparison, comparisons } from './operations.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Each round measures the facade, then REST, so that what else the machine does meets both. */
const ROUNDS = 5;
const WARM_UP = 300;

/** Operations of one round: one after another for latency, then some at once for throughput. */
const ALONE = 40;
const TOGETHER = 100;
const PARALLEL = 8;

type Run = () => Promise<unknown>;

interface Measured {
  readonly latencies: number[];
  readonly rates: number[];
}

/** Operations beside plain REST calls for the same data; client, facade and sandbox each in a process of its own. */
export async function benchRequests(): Promise<readonly Row[]> {
  await using sandbox = runCli(['sandbox', '--port', '0'], ON_TERMINAL);
  const [, api = ''] = await sandbox.waitForOutput(/management API is at (\S+)\n/);
  const [, tokenHeader = '', token = ''] = await sandbox.waitForOutput(/ {2}admin .*\n {4}(\S+): (\S+)\n/);
  const authorization = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;
  await using facade = runCli(['serve', '--port', '0', '--upstream', api], {
    UPSTREAM_AUTHORIZATION: authorization,
  });
  const [, url = ''] = await facade.waitForOutput(/GraphiQL in a browser: ([^\s"]+)/);

  const headers = { accept: 'application/json', [tokenHeader]: token };
  const graphql = new Pool(new URL(url).origin, { connections: 32 });
  const rest = new Pool(new URL(api).origin, { connections: 32 });
  const get = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
    const { statusCode, body } = await rest.request({ path, method: 'GET', headers });
    const envelope = (await body.json()) as { status: boolean; response: Record<string, unknown> };
    if (statusCode !== 200 || !envelope.status) throw new Error(`GET ${path} was answered ${statusCode}`);
    return envelope.response;
  };
  const ask = async (query: string): Promise<number> => {
    const { body } = await graphql.request({
      path: '/graphql',
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const answer = (await body.json()) as { errors?: unknown; extensions: { upstream: { calls: number } } };
    if (answer.errors !== undefined) throw new Error(`${query} failed: ${JSON.stringify(answer.errors)}`);
    return answer.extensions.upstream.calls;
  };
  try {
    const rows: Row[] = [];
    for (const comparison of comparisons) {
      const run = { facade: () => ask(comparison.query), rest: () => comparison.rest(get) };
      rows.push(await compare(comparison, await run.facade(), run.facade, run.rest));
    }
    return rows;
  } finally {
    await Promise.all([graphql.close(), rest.close()]);
  }
}

async function compare({ name }: Comparison, calls: number, facade: Run, rest: Run): Promise<Row> {
  for (let i = 0; i < WARM_UP; i += 1) await Promise.all([facade(), rest()]);
  const ours: Measured = { latencies: [], rates: [] };
  const plain: Measured = { latencies: [], rates: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure(facade, ours);
    await measure(rest, plain);
  }
  const p50 = { ours: quantile(ours.latencies, 0.5), plain: quantile(plain.latencies, 0.5) };
  const rate = { ours: quantile(ours.rates, 0.5), plain: quantile(plain.rates, 0.5) };
  return {
    operation: name,
    calls,
    'p50 ms': p50.ours,
    'p95 ms': quantile(ours.latencies, 0.95),
    'REST p50': p50.plain,
    'REST p95': quantile(plain.latencies, 0.95),
    'p50 / REST': rounded(p50.ours / p50.plain, 2),
    'per s': Math.round(rate.ours),
    'REST per s': Math.round(rate.plain),
    'per s / REST': rounded(rate.ours / rate.plain, 2),
  };
}

async function measure(run: Run, { latencies, rates }: Measured): Promise<void> {
  for (let i = 0; i < ALONE; i += 1) {
    const started = performance.now();
    await run();
    latencies.push(performance.now() - started);
  }
  const started = performance.now();
  let left = TOGETHER;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  rates.push((TOGETHER * 1000) / (performance.now() - started));
}
