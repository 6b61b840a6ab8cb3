// Shows above the result what the last response was: its status, time, size and cost.
import { useLastOperation } from '../operations/last-operation.ts';

/** A line for the last response; none before it has come. */
export function ResponseLine() {
  const response = useLastOperation((last) => last?.response ?? null);
  if (response === null) return null;
  const { status, ms, size, cost } = response;
  return (
    <p role="status" className={status >= 400 ? 'optiongraph-response failed' : 'optiongraph-response'}>
      <span>HTTP {status}</span>
      <span>{ms} ms</span>
      {size === null ? null : <span>{formatSize(size)}</span>}
      {cost === null ? null : (
        <span
          title={`The budget of ${cost.limit.toLocaleString('en')} points is full again at ${cost.resetAt}.`}
        >
          cost {cost.estimate?.toLocaleString('en') ?? '—'}, {cost.remaining.toLocaleString('en')} left
        </span>
      )}
    </p>
  );
}

/** Writes a number of bytes. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
