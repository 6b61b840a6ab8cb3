// Executes queries with `@live` again: at their interval, after writes of their caller, and at the ends of the actions that these have started.
import { isAsyncIterable } from '@envelop/core';
import { type ExecutionResult, getDirectiveValues, getVariableValues, OperationTypeNode } from 'graphql';
import { ownerOf } from '../../callers/requester.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { LIVE } from '../../schema/directives.ts';
import type { Limits } from '../../server/limits.ts';
import { actionsOf } from '../../server/operation-request.ts';
import type { AdmittedOperation, Executed, Services, StartedPlugin } from '../../server/plugin.ts';
import { SubscriptionLimitError } from '../../upstream/errors.ts';
import { LiveQuery } from './live-query.ts';

/** Starts the plugin. */
export function useLive(services: Services): StartedPlugin {
  const live = new LiveQueries(services);
  return {
    directives: [LIVE.name],
    onOperation(operation, next) {
      const { request, params, schema, definition, contextValue } = operation;
      if ((definition.directives?.length ?? 0) === 0 || request.liveAs === 'execution') return null;
      const interval = readLive({ schema, definition, params }, services.limits);
      if (interval === null) return null;
      if (request.liveAs === 'stream') return live.begin(operation, interval, next);
      contextValue.operation.warn('NOT_LIVE', schema.getQueryType()?.name ?? '');
      return null;
    },
    endStreams: (last) => live.end(last),
    close: () => live.close(),
  };
}

/**
 * Reads the milliseconds from the end of one execution of a live query to the next; null for an operation that is not live.
 * @throws GraphQLError when an argument is null that must not be, InvalidInputError when the interval is not positive.
 */
function readLive(
  { schema, definition, params }: Pick<AdmittedOperation, 'schema' | 'definition' | 'params'>,
  { liveInterval, shortestLiveInterval, longestLiveInterval }: Limits,
): number | null {
  const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], params.variables ?? {});
  // The execution reports the errors of variables.
  const values = coerced === undefined ? undefined : getDirectiveValues(LIVE, definition, coerced);
  if (values?.['if'] !== true) return null;
  const { interval = null } = values as { interval?: number | null };
  if (interval !== null && !(interval > 0))
    throw new InvalidInputError('The "interval" of @live must be a positive number of seconds.');
  const wanted = interval === null ? liveInterval : interval * 1_000;
  return Math.max(shortestLiveInterval, Math.min(longestLiveInterval, wanted));
}

/** The live queries of a facade. */
class LiveQueries {
  readonly #services: Services;
  readonly #queries = new Set<LiveQuery>();
  /** Null before the first live query: writes on a server without any cost nothing. */
  #stopListening: (() => void) | null = null;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Executes a live query, and goes on unless that fails as a whole. */
  async begin(
    operation: AdmittedOperation,
    interval: number,
    next: () => Promise<Executed>,
  ): Promise<Executed> {
    const { request, definition } = operation;
    request.admit?.({ ...definition, operation: OperationTypeNode.SUBSCRIPTION });
    // It may change while it is executed for the first time.
    const query = this.#openQuery(operation, interval);
    let hasStarted = false;
    try {
      const first = await next();
      if (isAsyncIterable(first) || !('data' in first)) return first;
      query.start(first);
      hasStarted = true;
      return query;
    } finally {
      if (!hasStarted) query.close();
    }
  }

  /** Ends all live queries. @param result A result without data. */
  end(result: ExecutionResult): void {
    for (const query of [...this.#queries]) query.end(result);
  }

  close(): void {
    this.#stopListening?.();
  }

  /** @throws SubscriptionLimitError when the caller has too many. */
  #openQuery(operation: AdmittedOperation, interval: number): LiveQuery {
    const { request, contextValue } = operation;
    const { limits, observer, reads, toClientError } = this.#services;
    const owner = ownerOf(contextValue.session.caller);
    const open = [...this.#queries].filter(({ session }) => ownerOf(session.caller) === owner).length;
    if (open >= limits.liveQueries)
      throw new SubscriptionLimitError(
        `You have ${open} live queries open, which is the maximum for one caller; end one, or join several in one.`,
      );
    this.#stopListening ??= reads.onWrite((writer, { kind, action }) => {
      for (const query of this.#queries) if (query.session.caller.key === writer) query.onChange();
      if (kind === 'started' && action !== null) this.#watch(writer, action);
    });
    const { report = null } = request;
    if (report !== null) report.isLive = true;
    const end = report === null ? undefined : observer.liveQuery?.(report.observed);
    const onEnd = (): void => {
      this.#queries.delete(query);
      end?.();
    };
    const query = new LiveQuery(operation, { interval, toClientError, onEnd });
    this.#queries.add(query);
    return query;
  }

  /**
   * Watches an action whose end may change what the live queries of a caller read. The watcher reports its end as a change of the caller.
   * When the query that watches ends, another one of the caller goes on.
   * @param writer The key of the caller.
   */
  #watch(writer: string, id: string): void {
    const query = [...this.#queries].find(({ session }) => session.caller.key === writer);
    if (query === undefined) return;
    const { session, ending } = query;
    const follow = async (): Promise<void> => {
      const actions = actionsOf(session, this.#services.watcher, undefined);
      for await (const state of actions.watch([id], 0, ending)) if (state instanceof Error) throw state;
    };
    void follow()
      // Its end may have been missed; the interval shows it.
      .catch(() => undefined)
      .finally(() => {
        if (ending.aborted) this.#watch(writer, id);
      });
  }
}
