// Executes queries with `@live` again: at their interval, after writes of their caller, and at the ends of the actions that these have started.
import { isAsyncIterable } from '@envelop/core';
import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql';
import { ownerOf } from '../../callers/requester.ts';
import type { SharedReads } from '../../callers/shared-reads.ts';
import type { Observer } from '../../observer.ts';
import { actionsOf } from '../../server/context.ts';
import type { Limits } from '../../server/limits.ts';
import type { OperationRequest } from '../../server/operation-request.ts';
import type { AdmittedOperation, OperationPlugin, Services, StartedPlugin } from '../../server/plugin.ts';
import { Abort } from '../../upstream/abortable.ts';
import type { Watcher } from '../../upstream/actions/watcher.ts';
import { SubscriptionLimitError } from '../../upstream/errors.ts';
import { readLive } from './live-directive.ts';
import { LiveQuery } from './live-query.ts';

/** What the live queries of a facade need. */
export interface LiveSource {
  readonly reads: Pick<SharedReads, 'onWrite' | 'running'>;
  readonly watcher: Watcher;
  readonly limits: Limits;
  readonly observer: Observer;
  readonly toClientError: (error: unknown) => GraphQLError;
}

/** What is known of a caller with live queries. */
interface OfCaller {
  readonly queries: Set<LiveQuery>;
  /** Ends the watch of a running action, by its id. */
  readonly watched: Map<string, Abort>;
}

const LEFT = new Error('No live query needs the action.');

/** Starts the plugin. */
export function useLive({ reads, watcher, limits, observer, toClientError }: Services): StartedPlugin {
  const queries = new LiveQueries({ reads, watcher, limits: limits, observer, toClientError });
  return {
    ...queries.plugin,
    endStreams: (last) => queries.end(last),
    close: () => queries[Symbol.dispose](),
  };
}

/** The live queries of a facade. */
export class LiveQueries implements Disposable {
  readonly #source: LiveSource;
  /** By the caller's key. */
  readonly #callers = new Map<string, OfCaller>();
  /** Open queries by who has opened them. */
  readonly #open = new Map<string, number>();
  /** The live queries whose executions the requests are. */
  readonly #executions = new WeakMap<OperationRequest, LiveQuery>();
  /** Null before the first live query: writes on a server without any cost nothing. */
  #stopListening: (() => void) | null = null;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  /** Makes the plugin. */
  readonly plugin: OperationPlugin = {
    onOperation: async (operation, next) => {
      const { request, params, schema, definition, contextValue } = operation;
      if ((definition.directives?.length ?? 0) === 0) return next();
      if (request.liveAs === 'execution') {
        const result = await next();
        this.#executions.get(request)?.record(contextValue);
        return result;
      }
      const interval = readLive(schema, definition, params.variables ?? {}, this.#source.limits);
      if (interval === null) return next();
      if (request.liveAs === 'result') {
        contextValue.operation.warn('NOT_LIVE', schema.getQueryType()?.name ?? '');
        return next();
      }
      request.admit({ ...definition, operation: OperationTypeNode.SUBSCRIPTION });
      const leave = this.#enter(operation);
      let isOutdated = false;
      const { key } = contextValue.session.caller;
      const stop = this.#source.reads.onWrite((caller) => {
        isOutdated ||= caller === key;
      });
      try {
        const first = await next();
        if (!isAsyncIterable(first) && 'data' in first) {
          const query = this.#openQuery(operation, first, interval, leave);
          if (isOutdated) query.onChange();
          return query;
        }
        leave();
        return first;
      } catch (error) {
        leave();
        throw error;
      } finally {
        stop();
      }
    },
  };

  /** Ends all live queries. @param result A result without data. */
  end(result: ExecutionResult): void {
    for (const { queries } of [...this.#callers.values()])
      for (const query of [...queries]) query.end(result);
  }

  [Symbol.dispose](): void {
    this.#stopListening?.();
  }

  #openQuery(
    operation: AdmittedOperation,
    first: ExecutionResult,
    interval: number,
    leave: () => void,
  ): LiveQuery {
    const { key } = operation.contextValue.session.caller;
    const { reads, toClientError } = this.#source;
    this.#stopListening ??= reads.onWrite((caller, { kind, action, scope }) => {
      for (const query of this.#callers.get(caller)?.queries ?? [])
        if (query.isChangedBy(scope)) query.onChange();
      if (kind === 'started' && action !== null) this.#watch(caller, action);
    });
    const query: LiveQuery = new LiveQuery(operation, first, {
      ...{ interval, toClientError },
      onExecution: (request) => this.#executions.set(request, query),
      onEnd: () => {
        this.#forget(key, query);
        leave();
      },
    });
    const ofCaller = this.#callers.get(key) ?? { queries: new Set(), watched: new Map() };
    this.#callers.set(key, ofCaller);
    ofCaller.queries.add(query);
    for (const id of reads.running.idsOf(key)) this.#watch(key, id);
    return query;
  }

  #forget(caller: string, query: LiveQuery): void {
    const ofCaller = this.#callers.get(caller);
    ofCaller?.queries.delete(query);
    if (ofCaller?.queries.size !== 0) return;
    this.#callers.delete(caller);
    for (const end of ofCaller.watched.values()) end.abort(LEFT);
  }

  /** Counts a live query of a caller. Returns what ends that, once. @throws SubscriptionLimitError when the caller has too many. */
  #enter({ request: { report }, contextValue }: AdmittedOperation): () => void {
    const { limits, observer } = this.#source;
    const owner = ownerOf(contextValue.session.caller);
    const open = this.#open.get(owner) ?? 0;
    if (open >= limits.liveQueries)
      throw new SubscriptionLimitError(
        `You have ${open} live queries open, which is the maximum for one caller; end one, or join several in one.`,
      );
    this.#open.set(owner, open + 1);
    if (report !== null) report.isLive = true;
    const end = report === null ? undefined : observer.liveQuery?.(report.observed);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#open.get(owner) ?? 1) - 1;
      if (left === 0) this.#open.delete(owner);
      else this.#open.set(owner, left);
      end?.();
    };
  }

  /** Watches an action whose end may change what a live query of its caller reads. The watcher reports its end as a change of the caller. */
  #watch(caller: string, id: string): void {
    const { reads, watcher } = this.#source;
    const ofCaller = this.#callers.get(caller);
    if (ofCaller === undefined || ofCaller.watched.has(id)) return;
    const scope = reads.running.scopeOf(caller, id);
    const query = [...ofCaller.queries].find((one) => one.isChangedBy(scope));
    if (query === undefined) return;
    const end = new Abort();
    ofCaller.watched.set(id, end);
    const follow = async (): Promise<void> => {
      for await (const state of actionsOf(query.session, watcher, undefined).watch([id], 0, end))
        if (state instanceof Error) throw state;
    };
    // Its end may have been missed; the interval shows it.
    void follow()
      .catch(() => undefined)
      .finally(() => ofCaller.watched.delete(id));
  }
}
