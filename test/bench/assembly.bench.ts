// Measures how long the assembly of a schema takes in a fresh process.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenSandbox } from '../../src/sandbox/listen-sandbox.ts';
import { quantile, type Row } from './table.ts';

/** What assemble-once.ts prints; times in milliseconds. */
interface Sample {
  readonly bytes: number;
  readonly types: number;
  readonly json: number;
  readonly parse: number;
  readonly assemble: number;
  readonly total: number;
}

const RUNS = 7;

/** Longest assembly of the largest description that we accept, in milliseconds. */
const TARGET = 400;

const script = fileURLToPath(new URL('assemble-once.ts', import.meta.url));
const shared = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Reading and assembling each description in fresh processes: medians, because the first run is the one users wait for. */
export async function benchAssembly(): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'optiongraph-bench-'));
  try {
    const files = [
      `${shared}production-description.json.gz`,
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
  const total = median('total');
  return {
    description: (file.split('/').at(-1) ?? '').replace(/\.json(\.gz)?$/, ''),
    kB: Math.round(median('bytes') / 1000),
    types: median('types'),
    'JSON.parse ms': median('json'),
    'parse ms': median('parse'),
    'assemble ms': median('assemble'),
    'total ms': total,
    [`< ${TARGET} ms`]: total < TARGET ? 'ok' : 'over',
  };
}
