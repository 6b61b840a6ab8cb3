// Shows above the result whether it is live, and when it has changed.
import { useLastOperation } from '../operations/last-operation.ts';

/** A line for a live query, which stays when the query has been stopped. */
export function LiveLine() {
  const last = useLastOperation();
  if (last === null || last.live === null) return null;
  const { isStreaming, live } = last;
  const changed = new Date(live.changedAt).toLocaleTimeString();
  return (
    <p role="status" className={isStreaming ? 'optiongraph-live running' : 'optiongraph-live'}>
      {isStreaming ? 'Live' : 'Stopped'} · {live.changes === 0 ? 'read' : 'changed'} at <time>{changed}</time>
      {isStreaming ? ` · every ${live.interval} s` : ''}
    </p>
  );
}
