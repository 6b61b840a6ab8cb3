// Executes a live query on behalf of one of its clients: each time as an operation of its own.
import type { ExecutionResult } from 'graphql';
import type { Requester, Session } from '../../callers/session.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import { isObject } from '../../upstream/json.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Pipeline } from '../pipeline.ts';
import type { PreparedOperation } from '../prepared-operation.ts';
import type { OperationReport } from '../reports/operation-report.ts';
import type { LiveReads } from './live-reads.ts';
import type { LiveResult } from './live-result.ts';

/** The executions of a live query for one client. It is the `OperationRequest` of every execution but the first. */
export class LiveExecution implements OperationRequest {
  readonly client: Requester;
  /** The client, as the execution under way knows it. */
  requester: Requester;
  readonly report: OperationReport | null;
  /** Each execution waits for its turn. */
  readonly waitingSize = 0;
  readonly acceptedParts = null;
  readonly liveAs = 'execution';
  /** That of the last execution. */
  session: Session;
  readonly #params: OperationParams;
  readonly #prepare: Pipeline['prepare'];
  /** Prepared when the client has sent the query. */
  #first: PreparedOperation | null;
  /** The last result of its executions. */
  #own: LiveResult | null = null;

  constructor(
    { requester, report }: Pick<OperationRequest, 'requester' | 'report'>,
    { query, variables = null, operationName = null, onError = null }: OperationParams,
    first: PreparedOperation,
    prepare: Pipeline['prepare'],
  ) {
    this.requester = requester;
    this.client = requester;
    this.report = report;
    this.#params = { query, variables, operationName, onError };
    this.session = first.session;
    this.#first = first;
    this.#prepare = prepare;
  }

  readSent(): OperationParams {
    return this.#params;
  }

  admit(): void {
    // The live query is admitted already.
  }

  get hasLeft(): boolean {
    return this.client.leaving?.aborted === true;
  }

  /** Executes the query. Null: the API answers as before. Never rejects. */
  async execute(reads: LiveReads): Promise<ExecutionResult | null> {
    const first = this.#first;
    this.#first = null;
    if (first !== null) return first.executeLive(reads);
    const { header, address, requestId, leaving } = this.client;
    // An execution listens to a signal of its own, which is forgotten with it.
    const ending = new Abort();
    const leave = (): void => ending.abort(leaving?.reason);
    if (this.hasLeft) leave();
    leaving?.addEventListener('abort', leave);
    this.requester = {
      header,
      address,
      requestId,
      leaving: ending,
      get signal() {
        return toAbortSignal(ending);
      },
      // The response has begun, so that it cannot carry a cookie.
      cookie: { setCookie: null, isOpen: false },
    };
    try {
      const prepared = await this.#prepare(this);
      if (!('executeLive' in prepared)) return prepared;
      this.session = prepared.session;
      return await prepared.executeLive(reads);
    } finally {
      leaving?.removeEventListener('abort', leave);
    }
  }

  /** Says that another client's execution has the first result. */
  dropFirst(): void {
    this.#first?.drop();
    this.#first = null;
  }

  /** Says that a result is of an execution for this client, who has the cost. */
  own(result: LiveResult): void {
    this.#own = result;
  }

  /** What a result has cost the client: calls of an execution for another client are shared. */
  costOf(result: LiveResult): { readonly upstream: unknown } {
    if (result === this.#own) return { upstream: result.cost };
    const { calls = 0, coalesced = 0 } = isObject(result.cost) ? result.cost : {};
    return { upstream: { calls: 0, ms: 0, coalesced: Number(calls) + Number(coalesced) } };
  }
}
