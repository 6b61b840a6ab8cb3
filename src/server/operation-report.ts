// Collects what is known of one operation, and reports its start and its end.
import { createHash } from 'node:crypto';
import { type DocumentNode, getOperationAST } from 'graphql';
import type { Requester } from '../callers/requester.ts';
import type { SessionReport } from '../callers/session.ts';
import type { Operation } from '../loaders/operation.ts';
import type {
  ObservedDocument,
  ObservedOperation,
  Observer,
  OperationEnd,
  OperationStep,
} from '../observer.ts';
import type { Caller } from '../upstream/http/caller.ts';

/** A document with the name of the operation that is executed. */
interface ChosenOperation {
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly isTrusted: boolean;
}

/** The parts of a result that show whether the operation has succeeded. */
interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly [name: string]: unknown } }[];
  /** Parts that were delivered later. */
  readonly incremental?: readonly Result[];
}

/** Who has sent an operation, for its report. */
export type ReportedRequester = Pick<Requester, 'requestId' | 'address' | 'header'>;

/** What is known of one operation. The parts of the server that handle it add what they find out. */
export class OperationReport implements SessionReport {
  readonly observed: ObservedOperation;
  transport: OperationEnd['transport'];
  caller: Caller | null = null;
  /** Null until the document is parsed. */
  chosen: ChosenOperation | null = null;
  /** Its calls; null before it is executed. */
  operation: Operation | null = null;
  /** Whether its client gets several results. */
  isLive = false;
  /** Estimated cost; null before the estimate. */
  cost: number | null = null;
  readonly #beginPhase: Observer['step'];
  readonly #end: ((end: OperationEnd) => void) | undefined;
  readonly #startedAt = performance.now();
  readonly #codes = new Set<string>();
  #hasData = false;
  #hasEnded = false;

  constructor(
    { operation, step }: Observer,
    { requestId, address, header }: ReportedRequester,
    transport: OperationEnd['transport'],
  ) {
    this.observed = { requestId, address: address ?? null, header };
    this.transport = transport;
    this.#beginPhase = step;
    this.#end = operation?.(this.observed);
  }

  /** Reports the start of a phase. Returns what is called at its end; undefined when nobody observes phases. */
  beginPhase(phase: OperationStep['step']): ReturnType<NonNullable<Observer['step']>> {
    return this.#beginPhase?.({ cause: this.observed, step: phase });
  }

  /** Runs a phase, and reports it. One that returns errors has failed. */
  observe<T>(phase: OperationStep['step'], run: () => T): T {
    const end = this.beginPhase(phase);
    if (end === undefined) return run();
    const fail = (): void => end({ hasFailed: true });
    try {
      const result = run();
      if (result instanceof Promise) void result.then(() => end({ hasFailed: false }), fail);
      else end({ hasFailed: Array.isArray(result) && result.length > 0 });
      return result;
    } catch (error) {
      fail();
      throw error;
    }
  }

  /** Adds a result, or an event of a subscription, as the client gets it. */
  addResult({ data, errors = [], incremental = [] }: Result): void {
    if (data !== undefined && data !== null) this.#hasData = true;
    for (const { extensions } of errors) this.#codes.add(String(extensions?.['code']));
    for (const part of incremental) this.addResult(part);
  }

  /**
   * Reports the end, once.
   * @param status HTTP status; null for none.
   * @param hasLeft Whether the client has left before its answer, or has ended its subscription.
   */
  end(status: number | null, hasLeft = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { transport, caller, cost, operation, chosen } = this;
    const outcome = this.#codes.size === 0 ? 'ok' : this.#hasData ? 'partial' : 'failed';
    this.#end?.({
      transport,
      caller: caller && { kind: caller.credential?.kind ?? 'anonymous', key: caller.key },
      document: chosen && describeDocument(chosen, this.isLive),
      calls: operation?.cost.calls ?? [],
      coalesced: operation?.cost.coalesced ?? 0,
      cost,
      status,
      outcome: hasLeft ? 'left' : outcome,
      codes: [...this.#codes],
      duration: performance.now() - this.#startedAt,
    });
  }
}

/** Hashes of documents. A document is parsed once for many operations. */
const hashes = new WeakMap<DocumentNode, string>();

function describeDocument(
  { document, operationName, isTrusted }: ChosenOperation,
  isLive: boolean,
): ObservedDocument | null {
  const definition = getOperationAST(document, operationName);
  if (!definition) return null;
  let hash = hashes.get(document);
  if (hash === undefined) {
    const text = document.loc?.source.body ?? '';
    hash = createHash('sha256').update(text).digest('hex');
    hashes.set(document, hash);
  }
  const type = isLive ? 'live query' : definition.operation;
  return { type, name: definition.name?.value ?? null, hash, isTrusted };
}
