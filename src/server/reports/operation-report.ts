// Collects what is known of one operation, and reports its start and its end.
import { createHash } from 'node:crypto';
import { type DocumentNode, getOperationAST, parse } from 'graphql';
import type { Requester } from '../../callers/requester.ts';
import type { SessionReport } from '../../callers/session.ts';
import type { Operation } from '../../loaders/operation.ts';
import type {
  CallSummary,
  ObservedDocument,
  ObservedOperation,
  Observer,
  OperationEnd,
  OperationStep,
} from '../../observer.ts';
import type { CallEnd, CallPlace } from '../../upstream/http/call-meter.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import type { OperationParams } from '../operation-request.ts';

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

/** A call that the session has waited for. Times of `performance.now()`. */
interface OpeningCall {
  readonly place: CallPlace;
  readonly startedAt: number;
  endedAt: number | null;
  status: number | null;
}

/** Who has sent an operation, for its report. */
export type ReportedRequester = Pick<Requester, 'requestId' | 'address' | 'header'>;

/** What is known of one operation. The parts of the server that handle it add what they find out. */
export class OperationReport implements SessionReport {
  readonly observed: ObservedOperation;
  transport: OperationEnd['transport'];
  caller: Caller | null = null;
  chosen: ChosenOperation | null = null;
  /** Coordinates of the deprecated elements that it uses. */
  deprecated: readonly string[] = [];
  /** Its calls; null before it is executed. */
  operation: Operation | null = null;
  /** Whether its client gets several results. */
  isLive = false;
  /** Estimated cost; null before the estimate. */
  cost: number | null = null;
  readonly #beginStep: Observer['step'];
  readonly #end: ((end: OperationEnd) => void) | undefined;
  readonly #startedAt = performance.now();
  /** Null before the first; most sessions wait for none. */
  #openingCalls: OpeningCall[] | null = null;
  /** The codes of its errors; null before the first. */
  #codes: Set<string> | null = null;
  #hasData = false;
  #hasEnded = false;

  constructor(
    { operation, step }: Observer,
    { requestId, address, header }: ReportedRequester,
    transport: OperationEnd['transport'],
  ) {
    this.observed = { requestId, address: address ?? null, header };
    this.transport = transport;
    this.#beginStep = step;
    this.#end = operation?.(this.observed);
  }

  /** Reports the start of a step. Returns what is called at its end; undefined when nobody observes steps. */
  beginStep(step: OperationStep['step']): ReturnType<NonNullable<Observer['step']>> {
    return this.#beginStep?.({ cause: this.observed, step });
  }

  addOpeningCall(place: CallPlace): CallEnd {
    const call: OpeningCall = { place, startedAt: performance.now(), endedAt: null, status: null };
    this.#openingCalls ??= [];
    this.#openingCalls.push(call);
    return (status) => {
      call.endedAt = performance.now();
      call.status = status;
    };
  }

  /** Adds a result, or an event of a subscription, as the client gets it. */
  addResult({ data, errors = [], incremental = [] }: Result): void {
    if (data !== undefined && data !== null) this.#hasData = true;
    for (const { extensions } of errors) {
      this.#codes ??= new Set();
      this.#codes.add(String(extensions?.['code']));
    }
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
    const { transport, caller, cost, operation, deprecated } = this;
    this.#end?.({
      transport,
      caller: caller && { kind: caller.credential?.kind ?? 'anonymous', key: caller.key },
      document: this.chosen && describeDocument(this.chosen, this.isLive),
      openingCalls: this.#openingCalls?.map((call) => this.#measure(call)) ?? [],
      calls: operation?.cost.calls ?? [],
      coalesced: operation?.cost.coalesced ?? 0,
      deprecated,
      cost,
      status,
      outcome: hasLeft ? 'left' : this.#outcome(),
      codes: [...(this.#codes ?? [])],
      duration: performance.now() - this.#startedAt,
    });
  }

  #measure({ place, startedAt, endedAt, status }: OpeningCall): CallSummary {
    const start = Math.round(startedAt - this.#startedAt);
    const ms = Math.round((endedAt ?? performance.now()) - startedAt);
    return { action: place.action, path: place.path, status, start, ms };
  }

  #outcome(): OperationEnd['outcome'] {
    if (this.#codes === null) return 'ok';
    return this.#hasData ? 'partial' : 'failed';
  }
}

/** Tokens of a document that is parsed for a report only. */
const MAX_TOKENS = 2_000;

/** Reads a document that is not executed. Null when it has a syntax error or is long. */
export function chooseUnread(
  { query, operationName = null }: OperationParams,
  { isTrusted = false }: { readonly isTrusted?: boolean },
): ChosenOperation | null {
  try {
    const document = parse(query, { maxTokens: MAX_TOKENS });
    return { document, operationName, isTrusted };
  } catch {
    return null;
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
    hash = createHash('sha256')
      .update(document.loc?.source.body ?? '')
      .digest('hex');
    hashes.set(document, hash);
  }
  const type = isLive ? 'live query' : definition.operation;
  return { type, name: definition.name?.value ?? null, hash, isTrusted };
}

/** Runs a step of an operation, and reports it. @param report Null: nobody observes it. */
export function asStep<T>(
  report: OperationReport | null,
  step: 'session' | 'parse' | 'validate',
  run: () => T,
): T {
  const end = report?.beginStep(step);
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
