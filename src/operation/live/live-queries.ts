// Opens live queries, and notifies them of writes of their callers that may have changed what they have read.
import type { ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { ownerOf } from '../../callers/client-address.ts';
import type { SharedReads } from '../../callers/reads/shared-reads.ts';
import type { WriteEvent } from '../../callers/reads/shared-writes.ts';
import { Abort } from '../../upstream/abortable.ts';
import type { Watcher } from '../../upstream/actions/watcher.ts';
import { SubscriptionLimitError } from '../../upstream/errors.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { actionsOf } from '../context.ts';
import type { Limits } from '../limits.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Executed } from '../user-plugins.ts';
import { type LiveOptions, readLive } from './live-directive.ts';
import { LiveQuery, type LiveQueryParts, type SentQuery } from './live-query.ts';

/** What the live queries of a facade need. */
export interface LiveSource extends LiveQueryParts {
  readonly reads: SharedReads;
  readonly watcher: Watcher;
  readonly limits: Limits['live'];
}

/** What is known of a caller with live queries. */
interface OfCaller {
  readonly queries: Set<LiveQuery>;
  /** Ends the watch of a running action, by its id. */
  readonly watched: Map<string, Abort>;
}

const LEFT = new Error('No live query needs the action.');

/** The live queries of a facade. */
export class LiveQueries implements Disposable {
  readonly #source: LiveSource;
  /** By the caller's key. */
  readonly #callers = new Map<string, OfCaller>();
  /** Open queries by who has opened them. */
  readonly #open = new Map<string, number>();
  /** Null before the first live query: writes on a server without any pay nothing. */
  #stopListening: (() => void) | null = null;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  /** Reads how a query is live, see `readLive`. */
  read(
    schema: GraphQLSchema,
    definition: OperationDefinitionNode,
    variables: OperationParams['variables'],
  ): LiveOptions | null {
    return readLive(schema, definition, variables ?? {}, this.#source.limits);
  }

  /**
   * Opens a live query, and waits for its first result. Returns the result instead if that has no data.
   * @throws SubscriptionLimitError when the caller has too many. Rejects when the client leaves.
   */
  async open(sent: SentQuery): Promise<Executed> {
    const { caller } = sent.first.session;
    const { reads } = this.#source;
    const release = this.#admit(caller, sent.request);
    this.#stopListening ??= reads.onWrite((key, event) => this.#onWrite(key, event));
    const query: LiveQuery = new LiveQuery(sent, this.#source, () => {
      release();
      this.#forget(caller.key, query);
    });
    const ofCaller = this.#callers.get(caller.key) ?? { queries: new Set(), watched: new Map() };
    this.#callers.set(caller.key, ofCaller);
    ofCaller.queries.add(query);
    for (const id of reads.running.of(caller.key)) this.#watch(caller.key, id);
    return (await query.begin()) ?? query;
  }

  /** Ends all live queries. @param result A result without data. */
  end(result: ExecutionResult): void {
    for (const { queries } of [...this.#callers.values()])
      for (const query of [...queries]) query.end(result);
  }

  [Symbol.dispose](): void {
    this.#stopListening?.();
  }

  /** Counts a live query of a caller. Returns what ends that. */
  #admit(caller: Caller, { report }: OperationRequest): () => void {
    const { limits, observer } = this.#source;
    const owner = ownerOf(caller);
    const open = this.#open.get(owner) ?? 0;
    if (open >= limits.queries)
      throw new SubscriptionLimitError(
        `You have ${open} live queries open, which is the maximum for one caller; end one, or join several in one.`,
      );
    this.#open.set(owner, open + 1);
    const end = report === null ? undefined : observer.liveQuery?.(report.observed);
    return () => {
      const left = (this.#open.get(owner) ?? 1) - 1;
      if (left === 0) this.#open.delete(owner);
      else this.#open.set(owner, left);
      end?.();
    };
  }

  #forget(caller: string, query: LiveQuery): void {
    const ofCaller = this.#callers.get(caller);
    ofCaller?.queries.delete(query);
    if (ofCaller?.queries.size !== 0) return;
    this.#callers.delete(caller);
    for (const end of ofCaller.watched.values()) end.abort(LEFT);
  }

  #onWrite(key: string, { kind, action, scope }: WriteEvent): void {
    for (const query of this.#callers.get(key)?.queries ?? [])
      if (query.isChangedBy(scope)) query.onChange(kind === 'ended' ? 'action' : 'write');
    if (kind === 'started' && action !== null) this.#watch(key, action);
  }

  /** Watches an action whose end may change what a live query of its caller reads, unless it is watched already. */
  #watch(caller: string, id: string): void {
    const { reads, watcher } = this.#source;
    const ofCaller = this.#callers.get(caller);
    if (ofCaller === undefined || ofCaller.watched.has(id)) return;
    const { queries, watched } = ofCaller;
    const scope = reads.running.scopeOf(caller, id);
    const query = [...queries].find((one) => one.isChangedBy(scope));
    if (query === undefined) return;
    const end = new Abort();
    watched.set(id, end);
    const follow = async (): Promise<void> => {
      const states = actionsOf(query.session, watcher, query.report?.observed).watch([id], 0, end);
      for await (const state of states) if (state instanceof Error) throw state;
    };
    void follow()
      .catch(() => {
        // Its end may have been missed.
        if (!end.aborted) this.#onWrite(caller, { kind: 'ended', action: id, scope });
      })
      .finally(() => watched.delete(id));
  }
}
