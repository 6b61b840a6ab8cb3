/** How far an action is: queued is true/0, one that is rolled back is unfinished with status false. */
export interface Progress {
  readonly finished: boolean;
  readonly status: boolean;
  readonly current: number;
}

/**
 * How a blocking action goes wrong: it ends below its total, it ends at its total, or it is rolled back for a while and
 * then ends.
 */
export type FailureKind = 'below' | 'at-total' | 'rollback';

/** What an action shows step by step after it was queued, its end last. */
export function progressOf(total: number, failure: FailureKind | null): readonly Progress[] {
  const half = Math.floor(total / 2);
  switch (failure) {
    case null:
      return succeed(0, total);
    case 'at-total':
      return [...proceed(1, total - 1), { finished: true, status: false, current: total }];
    case 'below':
      return [...proceed(1, half), { finished: true, status: false, current: half }];
    case 'rollback':
      return [...proceed(1, half), ...rollBack(half)];
  }
}

/** What an action shows after a step that it shows already, its end last; with status false it is being rolled back. */
export function progressFrom(current: number, total: number, status: boolean): readonly Progress[] {
  return status ? succeed(current, total) : rollBack(Math.max(0, current - 1));
}

/** A rollback from where an action stands: one step to begin, one for each step taken back, the last one the end. */
export function rollBack(from: number): readonly Progress[] {
  const down = Array.from({ length: from }, (_, index) => from - index);
  return [
    ...down.map((current) => ({ finished: false, status: false, current })),
    { finished: true, status: false, current: 0 },
  ];
}

function succeed(from: number, total: number): readonly Progress[] {
  return [...proceed(from + 1, total - 1), { finished: true, status: true, current: total }];
}

function proceed(first: number, last: number): readonly Progress[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
    finished: false,
    status: true,
    current: first + index,
  }));
}
