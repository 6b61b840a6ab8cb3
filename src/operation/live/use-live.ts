// Executes queries with `@live` again: at their interval, after writes of their caller, and at the ends of the actions that these have started.
import { isAsyncIterable } from '@envelop/core';
import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { ownerOf } from '../../callers/client-address.ts';
import type { SharedReads } from '../../callers/reads/shared-reads.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Abort } from '../../upstream/abortable.ts';
import type { Watcher } from '../../upstream/actions/watcher.ts';
import { SubscriptionLimitError } from '../../upstream/errors.ts';
import { actionsOf } from '../context.ts';
import type { Limits } from '../limits.ts';
import type { AdmittedOperation, OperationPlugin } from '../plugin.ts';
import { readLive } from './live-directive.ts';
import { LiveStream } from './live-stream.ts';

/** What the live queries of a facade need. */
export interface LiveSource {
  readonly reads: Pick<SharedReads, 'onWrite' | 'running'>;
  readonly watcher: Watcher;
  readonly limits: Limits['live'];
  readonly observer: Observer;
}

const LEFT = new Error('The live query has ended.');

/** The live queries of a facade, each with its stream. */
export class LiveQueries implements Disposable {
  readonly #source: LiveSource;
  /** Open streams by the caller's key. */
  readonly #streams = new Map<string, Map<LiveStream, AdmittedOperation>>();
  /** Their numbers by who has opened them. */
  readonly #open = new Map<string, number>();
  /** The running actions that are watched, each with its caller's key. */
  readonly #watched = new Set<string>();
  /** Null before the first live query: writes on a server without any cost nothing. */
  #stopListening: (() => void) | null = null;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  #listen(): () => void {
    return this.#source.reads.onWrite((caller, { kind, action }) => {
      const streams = this.#streams.get(caller);
      if (streams === undefined) return;
      for (const stream of streams.keys()) stream.onChange();
      const [operation] = streams.values();
      if (kind === 'started' && action !== null && operation !== undefined)
        this.#watch(operation, action, caller);
    });
  }

  /** Makes the plugin. */
  readonly plugin: OperationPlugin = {
    onOperation: async (operation, next) => {
      const { request, params, schema, definition, contextValue } = operation;
      if (definition.directives?.length === 0) return next();
      const interval = readLive(schema, definition, params.variables ?? {}, this.#source.limits);
      if (interval === null || request.liveAs === 'execution') return next();
      if (request.liveAs === 'result') {
        contextValue.operation.warn('NOT_LIVE', schema.getQueryType()?.name ?? '');
        return next();
      }
      request.admit({ ...definition, operation: OperationTypeNode.SUBSCRIPTION });
      const leave = this.#enter(operation);
      const first = await next();
      if (isAsyncIterable(first) || !('data' in first)) {
        leave();
        return first;
      }
      return this.#openStream(operation, first, interval, leave);
    },
  };

  /** Ends all live queries. @param result A result without data. */
  end(result: ExecutionResult): void {
    for (const streams of this.#streams.values()) for (const stream of streams.keys()) stream.end(result);
  }

  [Symbol.dispose](): void {
    this.#stopListening?.();
  }

  #openStream(
    operation: AdmittedOperation,
    first: ExecutionResult,
    interval: number,
    leave: () => void,
  ): LiveStream {
    const { key } = operation.contextValue.session.caller;
    this.#stopListening ??= this.#listen();
    const streams = this.#streams.get(key) ?? new Map<LiveStream, AdmittedOperation>();
    this.#streams.set(key, streams);
    const stream: LiveStream = new LiveStream(operation, first, interval, () => {
      streams.delete(stream);
      if (streams.size === 0 && this.#streams.get(key) === streams) this.#streams.delete(key);
      leave();
    });
    streams.set(stream, operation);
    for (const id of this.#source.reads.running.of(key)) this.#watch(operation, id, key);
    return stream;
  }

  /** Counts a live query of a caller. Returns what ends that. @throws SubscriptionLimitError when the caller has too many. */
  #enter({ request: { report }, contextValue }: AdmittedOperation): () => void {
    const { limits, observer } = this.#source;
    const owner = ownerOf(contextValue.session.caller);
    const open = this.#open.get(owner) ?? 0;
    if (open >= limits.queries)
      throw new SubscriptionLimitError(
        `You have ${open} live queries open, which is the maximum for one caller; end one, or join several in one.`,
      );
    this.#open.set(owner, open + 1);
    if (report !== null) report.isLive = true;
    const end = report === null ? undefined : observer.liveQuery?.(report.observed);
    return () => {
      const left = (this.#open.get(owner) ?? 1) - 1;
      if (left === 0) this.#open.delete(owner);
      else this.#open.set(owner, left);
      end?.();
    };
  }

  /** Watches an action that a write has started, so that its end is seen. The watcher reports it as a change of the caller. */
  #watch({ contextValue: { session } }: AdmittedOperation, action: string, caller: string): void {
    const name = `${caller} ${action}`;
    if (this.#watched.has(name)) return;
    this.#watched.add(name);
    const end = new Abort();
    const follow = async (): Promise<void> => {
      for await (const _state of actionsOf(session, this.#source.watcher, undefined).watch([action], 0, end))
        if (!this.#streams.has(caller)) end.abort(LEFT);
    };
    // Its end may have been missed; the interval shows it.
    void follow()
      .catch(() => undefined)
      .finally(() => this.#watched.delete(name));
  }
}
