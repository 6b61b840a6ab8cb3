// Writes log lines about descriptions that are fetched again.
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import { compareSchemas } from '../schema/changes/changes.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { explainFailure } from '../upstream/explain-failure.ts';

/** Where failures are logged, and the API that they concern. */
export interface FailureLog {
  readonly log: Log;
  /** Address of the management API. */
  readonly upstream: URL;
}

/** Logs and reports how a schema differs from the one before. */
export function reportChange(
  { log, observer }: { readonly log: Log; readonly observer: Observer },
  before: ServedSchema,
  after: ServedSchema,
): void {
  const change = compareSchemas(before.schema, after.schema);
  observer.schemaChange?.(change);
  const { added, removed, breaking } = change;
  const parts = [summarize('added', added), summarize('removed', removed), summarize('breaking', breaking)];
  log.info(`the description changed: ${parts.join('; ')}`, {
    event: 'schema_change',
    added: added.length,
    removed: removed.length,
    breaking: breaking.length,
  });
}

/** Logs why a description could not be replaced. */
export function logFailure({ log, upstream }: FailureLog, failure: unknown): void {
  if (failure instanceof OptiongraphError)
    log.warn(
      `a description could not be fetched again, so the previous one stays in use: ${explainFailure(failure, upstream)}`,
      { event: 'description_failure' },
    );
  else log.error('a new description could not be served, so the previous one stays in use', failure);
}

/** The number of items, and the first ten. */
function summarize(word: string, items: readonly string[]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
