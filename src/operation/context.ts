// Makes the context of GraphQL operations, and lets it control their execution.
import { clientOf, ownerOf } from '../callers/client-address.ts';
import type { Requester, Session } from '../callers/session.ts';
import { Operation } from '../loaders/operation.ts';
import type { SharedState } from '../loaders/shared-state.ts';
import { guardTwice } from '../loaders/write-guard.ts';
import type { AnswerMemory } from '../scheduling/answer-memory.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { ObservedOperation } from '../telemetry/observer.ts';
import type { CallerActions, Watcher } from '../upstream/actions/watcher.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import type { Audit } from './audit/audit.ts';
import { CallerApi } from './caller-api.ts';
import type { AbandonedSignal, ExecutionControl } from './execution/pauses.ts';
import type { OperationReport } from './reports/operation-report.ts';
import type { Retry } from './retries/retry.ts';

/** What resolvers and plugins get. */
export interface OperationContext extends SchemaContext {
  readonly session: Session;
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
}

/** The context of resolvers that users of the library add, with what their option `context` adds. */
export interface ResolverContext extends Readonly<Record<string, unknown>> {
  /** Calls actions of the management API on behalf of the caller. */
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
}

/** Returns what a user of the library adds to the context of an operation. */
export type AddContext<Added extends object = object> = (requester: Requester) => Added | Promise<Added>;

/** What contexts are made from. */
export interface ContextSource {
  readonly watcher: Watcher;
  readonly shared: SharedState;
  readonly answers: AnswerMemory;
  /** Null: writes are not recorded. */
  readonly audit: Audit | null;
  /** Null: nothing is added. */
  readonly addContext: AddContext | null;
}

/** Makes the context that resolvers get: one operation on behalf of its caller. The names of the facade's own context win. */
export async function createContext(
  session: Session,
  report: OperationReport | null,
  source: ContextSource,
  retry: Retry | null,
): Promise<OperationContext> {
  const context = new OwnContext(session, report, source, retry);
  const { addContext } = source;
  return addContext === null
    ? context
    : { ...(await addContext(session.requester)), ...withOwnProperties(context) };
}

/** A context whose values are its own properties, for those who copy them. */
export const withOwnProperties = (context: OperationContext): OperationContext => {
  const { actions, api } = context;
  return { ...context, actions, api };
};

/** The running actions of a session's caller. */
export function actionsOf(
  { caller, client, served }: Session,
  watcher: Watcher,
  observed: ObservedOperation | undefined,
): CallerActions {
  return watcher.actionsFor(ownerOf(caller), caller, client, served.actionStates, observed);
}

/** The facade's own context. What few operations use is made when it is used. */
class OwnContext implements OperationContext {
  readonly operation: Operation;
  readonly session: Session;
  readonly header: HeaderReader;
  readonly #report: OperationReport | null;
  readonly #watcher: Watcher;

  constructor(
    session: Session,
    report: OperationReport | null,
    { watcher, shared, answers, audit }: ContextSource,
    retry: Retry | null,
  ) {
    const { requester, caller, client } = session;
    const room = answers.openRoom(clientOf(caller));
    const { leaving } = (retry?.request ?? session).requester;
    const recorder = audit?.guardFor(session, report?.observed ?? null, () => this.operation) ?? null;
    const guard = retry !== null && recorder !== null ? guardTwice(retry, recorder) : (retry ?? recorder);
    this.operation = new Operation(client, caller, shared, leaving, report?.observed, room, guard);
    if (report !== null) report.operation = this.operation;
    this.session = session;
    this.header = requester.header;
    this.#report = report;
    this.#watcher = watcher;
  }

  get actions(): OperationContext['actions'] {
    return actionsOf(this.session, this.#watcher, this.#report?.observed);
  }

  get api(): CallerApi {
    return new CallerApi(this.operation, this.session.served.description);
  }
}

/** Bytes of an answer that take as much memory as a promised value, with what waits for it. That takes 1.2 kB, and each of these two. */
const ANSWER_BYTES_OF_PROMISE = 600;

/** Lets the executions of one operation, one or one for each event, pause for other clients, and end when nobody waits for them. */
export class OperationControl implements ExecutionControl {
  readonly #context: Pick<OperationContext, 'session' | 'operation'>;

  constructor(context: Pick<OperationContext, 'session' | 'operation'>) {
    this.#context = context;
  }

  get abandoned(): AbandonedSignal | undefined {
    return this.#context.operation.end.leaving;
  }

  pause(later: number): Promise<void> | undefined {
    const { operation, session } = this.#context;
    const waiting = later === 0 ? undefined : operation.awaitMemory(ANSWER_BYTES_OF_PROMISE * later);
    const paused = session.pause();
    if (waiting === undefined) return paused?.then(() => this.#checkWaited());
    return waiting.then(() => paused).then(() => this.#checkWaited());
  }

  /** @throws when the client has left, or the time of a reading operation is over. What a write has done is reported even then. */
  #checkWaited(): void {
    const { operation } = this.#context;
    if (operation.hasWritten) this.abandoned?.throwIfAborted();
    else operation.signal.throwIfAborted();
  }

  hold(): void {
    this.#context.operation.holdBatches();
  }

  resume(): void {
    this.#context.operation.releaseBatches();
  }
}
