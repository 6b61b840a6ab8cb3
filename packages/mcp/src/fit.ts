// Fits results into the context of an agent: lists that are too long are cut at whole rows.
import type { ExecutionResult } from 'graphql';
import { CURSORS } from './document.ts';

/** Characters of JSON that make a token, at least. */
const CHARACTERS = 3;
/** The part of a list's rows that is kept when it is cut once more. */
const KEPT = 0.8;

/** The rows that were left out of a list. */
export interface Cut {
  readonly path: string;
  readonly shown: number;
  readonly missing: number;
  /** Cursor of the last row shown; absent where a list has none. */
  readonly after?: string;
}

interface List {
  readonly path: string;
  readonly rows: unknown[];
  readonly cursors: unknown;
  readonly total: number;
}

/** Estimates the tokens of a text. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / CHARACTERS);

/**
 * Takes the cursors of `withCursors` out of a result, and cuts its longest lists until it has at most a number of tokens.
 * @returns What was cut; null where lists alone do not make it fit.
 */
export function cutToFit(result: ExecutionResult, limit: number): readonly Cut[] | null {
  const lists: List[] = [];
  collect(result.data, '', lists);
  while (estimateTokens(JSON.stringify(result)) > limit) {
    const sizes = lists.map(({ rows }) => (rows.length === 0 ? 0 : JSON.stringify(rows).length));
    const longest = lists[sizes.indexOf(Math.max(...sizes))];
    if (longest === undefined || longest.rows.length === 0) return null;
    longest.rows.length = Math.floor(longest.rows.length * KEPT);
  }
  return lists.flatMap(({ path, rows, cursors, total }) => {
    if (rows.length === total) return [];
    const last: unknown = Array.isArray(cursors) ? cursors[rows.length - 1] : rows.at(-1);
    const cursor = typeof last === 'object' && last !== null && 'cursor' in last ? last.cursor : null;
    const after = typeof cursor === 'string' ? { after: cursor } : {};
    return [{ path, shown: rows.length, missing: total - rows.length, ...after }];
  });
}

function collect(value: unknown, path: string, lists: List[]): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  const cursors = 'nodes' in holder ? holder[CURSORS] : undefined;
  if (cursors !== undefined) delete holder[CURSORS];
  for (const [key, child] of Object.entries(holder)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (Array.isArray(child))
      lists.push({ path: at, rows: child, cursors: key === 'nodes' ? cursors : null, total: child.length });
    collect(child, at, lists);
  }
}
