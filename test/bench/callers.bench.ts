// Measures what a schema for each caller costs in time and memory.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { ok, startStub } from '../helpers/stub-upstream.ts';
import { type Row, rounded } from './table.ts';

const PRODUCTION = new URL('../../../shared/data/production-description.json.gz', import.meta.url);
const SESSIONS = 100_000;
const CALLERS = 500;

/**
 * What a schema for each caller costs a request: the credential's lookup alone, and introspection first and again, over the
 * production description; heap held by a schema, and by a caller besides.
 */
export async function benchCallers(): Promise<readonly Row[]> {
  if (!existsSync(PRODUCTION)) {
    console.warn('SKIPPED: the production description is not there');
    return [{ what: 'skipped', value: 0, unit: '' }];
  }
  const raw: unknown = JSON.parse(gunzipSync(readFileSync(PRODUCTION)).toString('utf8'));
  const described = raw as { readonly response?: Record<string, unknown> } & Record<string, unknown>;
  await using stub = await startStub((described.response ?? described) as Record<string, unknown>, {});
  const answer = ok(described.response ?? described);
  stub.onOptions = () => answer;
  const before = heap();
  await using facade = await createFacade({
    upstream: stub.url,
    log: createLog((line) => process.stderr.write(line)),
  });
  await open(facade, 'first');
  const oneSchema = heap() - before;
  const [, firstMs] = await timed(() => introspect(facade));
  const [, againMs] = await timed(() => introspect(facade));
  const started = performance.now();
  for (let index = 0; index < SESSIONS; index += 1) await open(facade, 'first');
  const perSession = ((performance.now() - started) / SESSIONS) * 1000;
  const held = heap();
  for (let index = 0; index < CALLERS; index += 1) await open(facade, `caller-${index}`);
  const perCaller = ((heap() - held) / CALLERS) * 1024;
  return [
    { what: 'session of a known caller (steady state)', value: rounded(perSession, 2), unit: 'µs' },
    { what: 'introspection, first', value: rounded(firstMs), unit: 'ms' },
    { what: 'introspection, again', value: rounded(againMs), unit: 'ms' },
    { what: 'heap of the schema, its description included', value: rounded(oneSchema), unit: 'MB' },
    { what: 'heap of a further caller of equal rights', value: rounded(perCaller, 2), unit: 'kB' },
    { what: `descriptions and questions for ${CALLERS + 1} callers`, value: stub.options, unit: 'requests' },
  ];
}

function open(facade: Facade, token: string) {
  return facade.openSession({
    header: (name) => (name === 'authorization' ? `Bearer ${token}` : null),
    address: undefined,
    requestId: 'bench',
    signal: undefined,
  });
}

async function introspect(facade: Facade): Promise<void> {
  const response = await facade.yoga.fetch('http://facade.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer first' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  if (response.status !== 200) throw new Error(`introspection was answered ${response.status}`);
  await response.text();
}

async function timed<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const started = performance.now();
  return [await run(), performance.now() - started];
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
}
