// Finds the live query that clients share, and notifies it of writes that may have changed what it has read.
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ownerOf } from '../../callers/client-address.ts';
import type { SharedReads } from '../../callers/reads/shared-reads.ts';
import type { WriteEvent } from '../../callers/reads/shared-writes.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Abort } from '../../upstream/abortable.ts';
import type { Watcher } from '../../upstream/actions/watcher.ts';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import { SubscriptionLimitError } from '../../upstream/errors.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { actionsOf } from '../context.ts';
import type { Limits } from '../limits.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Pipeline } from '../pipeline.ts';
import type { PreparedOperation } from '../prepared-operation.ts';
import type { Executed } from '../user-plugins.ts';
import { type LiveOptions, readLive } from './live-directive.ts';
import { LiveExecution } from './live-execution.ts';
import { LiveQuery } from './live-query.ts';
import { createResultTexts } from './live-result.ts';
import { LiveStream } from './live-stream.ts';
import { readsActions } from './written-resources.ts';

/** What the live queries of a facade need. */
export interface LiveSource {
  readonly reads: SharedReads;
  readonly watcher: Watcher;
  readonly replicas: Replicas;
  readonly limits: Limits['live'];
  readonly observer: Observer;
  /** Distinguishes the API from others whose replicas share. */
  readonly api: string;
  /** Whether results depend on the caller and the responses of the API alone; not so where users of the library add to the schema. */
  readonly canShare: boolean;
}

/** A live query that a client sends. */
export interface SentQuery {
  readonly request: OperationRequest;
  readonly params: OperationParams;
  readonly options: LiveOptions;
  readonly first: PreparedOperation;
  readonly prepare: Pipeline['prepare'];
}

/** For how many callers the time of the last write is remembered, and for how long. Milliseconds. */
const MAX_CALLERS = 10_000;
const REMEMBERED_FOR = 60_000;

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
  readonly #texts = createResultTexts();
  readonly #queries = new Map<string, LiveQuery>();
  /** By the caller's key. */
  readonly #callers = new Map<string, OfCaller>();
  /** Open streams by who has opened them. */
  readonly #open = new Map<string, number>();
  /** When callers have last written, as `performance.now()`. */
  readonly #writtenAt = new LRUCache<string, number>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(REMEMBERED_FOR),
  });
  /** Null before the first live query: writes on a server without any pay nothing. */
  #stopListening: (() => void) | null = null;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  /**
   * Opens a live query, and waits for its first result. Returns the result instead if that has no data.
   * @throws SubscriptionLimitError when the caller has too many. Rejects when the client leaves.
   */
  async open({ request, params, options, first, prepare }: SentQuery): Promise<Executed> {
    const { caller } = first.session;
    const end = this.#admit(caller, request);
    this.#stopListening ??= this.#source.reads.onWrite((caller, event) => this.#onWrite(caller, event));
    const execution = new LiveExecution(request, params, first, prepare);
    const query = this.#find(execution, params, options.interval);
    const stream = new LiveStream(query, execution, options.patch, end);
    query.join(stream);
    for (const id of this.#source.reads.running.of(caller.key)) this.#watch(caller.key, id);
    return (await stream.begin()) ?? stream;
  }

  /** Reads how a query is live, see `readLive`. */
  read(
    schema: GraphQLSchema,
    definition: OperationDefinitionNode,
    variables: OperationParams['variables'],
  ): LiveOptions | null {
    return readLive(schema, definition, variables ?? {}, this.#source.limits);
  }

  /** Whether the result of a document depends on the responses of the API alone. */
  isOfCalls(schema: GraphQLSchema, document: DocumentNode): boolean {
    return this.#source.canShare && readsActions(schema, document);
  }

  /** Ends all live queries. @param result A result without data. */
  end(result: ExecutionResult): void {
    for (const query of this.#queries.values()) query.end(result);
  }

  [Symbol.dispose](): void {
    this.#stopListening?.();
    for (const { watched } of this.#callers.values()) endAll(watched);
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

  #find(
    execution: LiveExecution,
    { query, variables, operationName, onError }: OperationParams,
    interval: number,
  ): LiveQuery {
    const { client, session } = execution;
    const { caller, served } = session;
    const { canShare, api, replicas, observer } = this.#source;
    const own = canShare ? null : client.requestId;
    const traced = client.header('x-trace') === '1';
    const sent = [
      served.fingerprint,
      caller.language,
      query,
      variables,
      operationName,
      onError,
      interval,
      traced,
      own,
    ];
    const key = JSON.stringify([caller.key, ...sent]);
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const { credential } = caller;
    const secret = credential === null ? null : [credential.header, credential.value];
    const name = canShare ? JSON.stringify(['live', api, secret, ...sent]) : null;
    const created = new LiveQuery(name, interval, {
      ...{ texts: this.#texts, replicas, observer },
      onIdle: (query) => this.#forget(key, caller.key, query),
    });
    // What other replicas have executed before a write is not shown after it.
    if ((this.#writtenAt.get(caller.key) ?? Number.NEGATIVE_INFINITY) > performance.now() - interval)
      created.onChange('start');
    this.#queries.set(key, created);
    const ofCaller = this.#callers.get(caller.key) ?? {
      queries: new Set(),
      watched: new Map(),
    };
    this.#callers.set(caller.key, ofCaller);
    ofCaller.queries.add(created);
    return created;
  }

  #forget(key: string, caller: string, query: LiveQuery): void {
    this.#queries.delete(key);
    const ofCaller = this.#callers.get(caller);
    ofCaller?.queries.delete(query);
    if (ofCaller?.queries.size !== 0) return;
    this.#callers.delete(caller);
    endAll(ofCaller.watched);
  }

  #onWrite(key: string, { kind, action, scope }: WriteEvent): void {
    this.#writtenAt.set(key, performance.now());
    for (const query of this.#callers.get(key)?.queries ?? [])
      if (query.reads.areChangedBy(scope)) query.onChange(kind === 'ended' ? 'action' : 'write');
    if (kind === 'started' && action !== null) this.#watch(key, action);
  }

  /** Watches an action whose end may change what a live query of its caller reads, unless it is watched already. */
  #watch(caller: string, id: string): void {
    const { reads, watcher } = this.#source;
    const ofCaller = this.#callers.get(caller);
    if (ofCaller === undefined || ofCaller.watched.has(id)) return;
    const { queries, watched } = ofCaller;
    const scope = reads.running.scopeOf(caller, id);
    const waiting = [...queries].filter((query) => query.reads.areChangedBy(scope));
    const [stream] = waiting.flatMap(({ streams }) => [...streams]);
    if (stream === undefined) return;
    const { session, report } = stream.execution;
    const end = new Abort();
    watched.set(id, end);
    const follow = async (): Promise<void> => {
      const states = actionsOf(session, watcher, report?.observed).watch([id], 0, end);
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

/** Ends the watches of a caller who has no live query any more. */
function endAll(watched: OfCaller['watched']): void {
  for (const end of watched.values()) end.abort(LEFT);
}
