// Follows the cursor of a list from page to page.
import type { ExecutionResult } from 'graphql';
import { usageError } from './command-line/exit-codes.ts';
import { isObject } from './output/values.ts';
import type { GivenRequest } from './request.ts';

/** The variable with the cursor of a page, as in GitHub's command-line program. */
export const CURSOR = 'endCursor';

/** How a query must be for `--paginate`. */
export const ADVICE = `--paginate needs a query of a list and its cursor, such as query ($${CURSOR}: String) { books(after: $${CURSOR}) { nodes { id } pageInfo { hasNextPage endCursor } } }.`;

/** @throws CommandError when an operation has no variable for the cursor. */
export function checkPaged({ operation }: GivenRequest): void {
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value);
  if (names?.includes(CURSOR) !== true) throw usageError(ADVICE);
}

/**
 * Returns the rows of the first list with a `pageInfo`, and the cursor of the next page; null on the last one.
 * @throws CommandError when there is no such list.
 */
export function readPage({ data, errors = [] }: ExecutionResult): {
  readonly rows: readonly unknown[];
  readonly cursor: string | null;
} {
  const connection = findConnection(data);
  if (connection === null) {
    if (errors.length === 0) throw usageError(ADVICE);
    return { rows: [], cursor: null };
  }
  const { pageInfo, ...others } = connection;
  const { hasNextPage, endCursor } = pageInfo as Readonly<Record<string, unknown>>;
  // They may be nodes or edges, also under other names.
  const rows = Object.values(others).find(Array.isArray);
  if (rows === undefined || typeof hasNextPage !== 'boolean') {
    if (errors.length === 0) throw usageError(ADVICE);
    return { rows: [], cursor: null };
  }
  if (hasNextPage && endCursor === undefined) throw usageError(ADVICE);
  return { rows, cursor: hasNextPage && typeof endCursor === 'string' ? endCursor : null };
}

function findConnection(value: unknown): Readonly<Record<string, unknown>> | null {
  if (!isObject(value)) return null;
  if (isObject(value['pageInfo'])) return value;
  for (const inner of Object.values(value)) {
    const found = findConnection(inner);
    if (found !== null) return found;
  }
  return null;
}
