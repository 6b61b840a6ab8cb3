// Measures how long the assembly of a schema takes in a fresh process.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { listenSandbox } from '../../src/sandbox/listen-sandbox.ts';
import { describeApi } from '../helpers/describe-api.ts';
import { manyResources } from '../helpers/many-resources.ts';
import { quantile, type Row, rounded } from './table.ts';

/** What assemble-once.ts prints; times in milliseconds. */
interface Sample {
  readonly bytes: number;
  readonly types: number;
  readonly total: number;
  /** Longest time in which nothing else ran. */
  readonly blocked: number;
}

const RUNS = 7;

/** Longest time that an assembly may block other work, in milliseconds. */
const TARGET = 100;

const script = fileURLToPath(new URL('assemble-once.ts', import.meta.url));
const shared = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/**
 * Reading and assembling each description in fresh processes, because the first run is the one users wait for: median time, and
 * longest time that blocks other work.
 */
export async function benchAssembly(): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'optiongraph-bench-'));
  try {
    const files = [
      `${shared}production-description.json.gz`,
      ...doubleProduction(directory),
      describeMany(directory, 100),
      describeMany(directory, 1000),
      `${shared}reference-description-user.json`,
      `${shared}reference-description-anonymous.json`,
      await describeSandbox(directory),
    ];
    return files.filter(isThere).map(measure);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function isThere(file: string): boolean {
  if (existsSync(file)) return true;
  console.log(`SKIPPED: ${file} is not there`);
  return false;
}

/** The description of production with copies of its resources, which gives more than 430 actions. */
function doubleProduction(directory: string): readonly string[] {
  const production = `${shared}production-description.json.gz`;
  if (!existsSync(production)) return [];
  const { response } = JSON.parse(gunzipSync(readFileSync(production)).toString('utf8'));
  const description = response.versions?.default ?? response;
  const copies = Object.entries(description.resources).map(([name, resource]) => [`${name}_copy`, resource]);
  const resources = { ...description.resources, ...Object.fromEntries(copies) };
  return [save(directory, 'production-doubled', { ...description, resources })];
}

function describeMany(directory: string, resources: number): string {
  return save(directory, `${resources}-resources`, describeApi(manyResources(resources)));
}

function save(directory: string, name: string, response: unknown): string {
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify({ response }));
  return file;
}

async function describeSandbox(directory: string): Promise<string> {
  await using sandbox = await listenSandbox();
  const authorization = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;
  const answer = await fetch(`${sandbox.url}/?describe=default`, {
    method: 'OPTIONS',
    headers: { authorization },
  });
  const file = join(directory, 'sandbox-description.json');
  writeFileSync(file, await answer.text());
  return file;
}

function measure(file: string): Row {
  const samples = Array.from({ length: RUNS }, (): Sample => {
    const args = ['--import', 'tsx', script, file];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  });
  const median = (key: keyof Sample): number =>
    quantile(
      samples.map((sample) => sample[key]),
      0.5,
    );
  const blocked = Math.max(...samples.map((sample) => sample.blocked));
  return {
    description: (file.split('/').at(-1) ?? '').replace(/\.json(\.gz)?$/, ''),
    kB: Math.round(median('bytes') / 1000),
    types: median('types'),
    'total ms': median('total'),
    'longest block ms': rounded(blocked),
    [`< ${TARGET} ms`]: blocked < TARGET ? 'ok' : 'over',
  };
}
