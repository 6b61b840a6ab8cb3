// Computes the steps that a blocking action shows while it runs, fails or is rolled back.

/** The progress of an action. A queued action has `current` 0; one that is being rolled back has `status` false. */
export interface Progress {
  readonly finished: boolean;
  readonly status: boolean;
  readonly current: number;
}

/** How a blocking action fails: below its total, at its total, or after it is rolled back step by step. */
export type FailureKind = 'below' | 'at-total' | 'rollback';

/** Returns the progress after each step of a queued action. The last one is its end. */
export function progressToEnd(total: number, failure: FailureKind | null): readonly Progress[] {
  const half = Math.floor(total / 2);
  switch (failure) {
    case null:
      return successFrom(0, total);
    case 'at-total':
      return [...runningSteps(1, total - 1), { finished: true, status: false, current: total }];
    case 'below':
      return [...runningSteps(1, half), { finished: true, status: false, current: half }];
    case 'rollback':
      return [...runningSteps(1, half), ...rollbackFrom(half)];
  }
}

/** Returns the progress after each further step of an action at step `current`. With status false it is being rolled back. */
export function progressFrom(current: number, total: number, status: boolean): readonly Progress[] {
  return status ? successFrom(current, total) : rollbackFrom(Math.max(0, current - 1));
}

/** Returns the progress after each step of a rollback: step `from`, every lower step down to 1, and the end at 0. */
export function rollbackFrom(from: number): readonly Progress[] {
  const down = Array.from({ length: from }, (_, index) => from - index);
  return [
    ...down.map((current) => ({ finished: false, status: false, current })),
    { finished: true, status: false, current: 0 },
  ];
}

function successFrom(from: number, total: number): readonly Progress[] {
  return [...runningSteps(from + 1, total - 1), { finished: true, status: true, current: total }];
}

function runningSteps(first: number, last: number): readonly Progress[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
    finished: false,
    status: true,
    current: first + index,
  }));
}
