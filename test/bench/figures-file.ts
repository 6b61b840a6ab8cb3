// Keeps the figures of all benches in one file, so that a run of one bench leaves those of the others.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ReplicasFigures } from './replicas.bench.ts';
import type { RequestFigures } from './requests.bench.ts';
import { describeMachine, type Row } from './table.ts';

/** The figures of one bench. */
export interface Saved<Figures> {
  /** Date, version of node, and processor. */
  readonly on: string;
  readonly figures: Figures;
}

/** The figures of all benches that have run. */
export interface AllFigures {
  readonly requests?: Saved<RequestFigures>;
  readonly assembly?: Saved<readonly Row[]>;
  readonly callers?: Saved<readonly Row[]>;
  readonly subscribers?: Saved<readonly Row[]>;
  readonly memory?: Saved<readonly Row[]>;
  readonly replicas?: Saved<ReplicasFigures>;
}

const FOLDER = new URL('../../.cache/', import.meta.url);
const FILE = new URL('bench.json', FOLDER);

export function readFigures(): AllFigures {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** Replaces the figures of one bench. */
export function saveFigures<Name extends keyof AllFigures>(
  name: Name,
  figures: NonNullable<AllFigures[Name]>['figures'],
): void {
  mkdirSync(FOLDER, { recursive: true });
  const all = { ...readFigures(), [name]: { on: describeMachine(), figures } };
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

/** Adds saved figures of operations that a run has left out. */
export function withOtherQueries(found: RequestFigures): RequestFigures {
  const measured = new Set(found.figures.map(({ query }) => query));
  const saved = readFigures().requests?.figures.figures ?? [];
  const figures = [...saved.filter(({ query }) => !measured.has(query)), ...found.figures];
  return { ...found, figures: figures.sort((a, b) => a.query.localeCompare(b.query)) };
}
