// Collects what is known of one operation, and reports its start and its end.
import { createHash } from 'node:crypto';
import { type DocumentNode, getOperationAST } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';
import type {
  ObservedDocument,
  ObservedOperation,
  Observer,
  OperationEnd,
  OperationStep,
} from '../../telemetry/observer.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import type { Session } from '../session.ts';

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

/** What is known of one operation. The parts of the server that handle it add what they find out. */
export class OperationReport {
  readonly observed: ObservedOperation;
  transport: OperationEnd['transport'];
  /** Whether the result is sent in several parts, the last of which ends the operation. */
  isStreamed = false;
  caller: Caller | null = null;
  chosen: ChosenOperation | null = null;
  /** Its calls; null before it is executed. */
  operation: Operation | null = null;
  /** Estimated cost; null before the estimate. */
  cost: number | null = null;
  readonly #beginStep: Observer['step'];
  readonly #end: ((end: OperationEnd) => void) | undefined;
  readonly #startedAt = performance.now();
  /** The codes of its errors; null before the first. */
  #codes: Set<string> | null = null;
  #hasData = false;
  #hasEnded = false;

  private constructor(
    observed: ObservedOperation,
    transport: OperationEnd['transport'],
    { operation, step }: Observer,
  ) {
    this.observed = observed;
    this.transport = transport;
    this.#beginStep = step;
    this.#end = operation?.(observed);
  }

  /** Reports the start of an operation. Null when nobody observes operations. */
  static begin(
    observer: Observer,
    observed: ObservedOperation,
    transport: OperationEnd['transport'],
  ): OperationReport | null {
    return observer.operation === undefined ? null : new OperationReport(observed, transport, observer);
  }

  /** Reports the start of a step. Returns what is called at its end; undefined when nobody observes steps. */
  beginStep(step: OperationStep['step']): ReturnType<NonNullable<Observer['step']>> {
    return this.#beginStep?.({ cause: this.observed, step });
  }

  /** Reports the steps of an operation whose document has been parsed and validated before. */
  addKnown(chosen: ChosenOperation): void {
    for (const step of ['parse', 'validate'] as const) this.beginStep(step)?.({ hasFailed: false });
    this.chosen = chosen;
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
    const { transport, caller, cost, operation } = this;
    this.#end?.({
      transport,
      caller: caller && { kind: caller.credential?.kind ?? 'anonymous', key: caller.key },
      document: this.chosen && describeDocument(this.chosen),
      calls: operation?.cost.calls ?? [],
      coalesced: operation?.cost.coalesced ?? 0,
      cost,
      status,
      outcome: hasLeft ? 'left' : this.#outcome(),
      codes: [...(this.#codes ?? [])],
      duration: performance.now() - this.#startedAt,
    });
  }

  #outcome(): OperationEnd['outcome'] {
    if (this.#codes === null) return 'ok';
    return this.#hasData ? 'partial' : 'failed';
  }
}

/** Opens the session of an operation as one of its steps. @param report Null or absent when nobody observes operations. */
export function openReported(
  report: OperationReport | null | undefined,
  open: () => Promise<Session>,
): Promise<Session> {
  const end = report?.beginStep('session');
  return open().then(
    (session) => {
      if (report) report.caller = session.caller;
      end?.({ hasFailed: false });
      return session;
    },
    (error: unknown) => {
      end?.({ hasFailed: true });
      throw error;
    },
  );
}

/** Hashes of documents. A document is parsed once for many operations. */
const hashes = new WeakMap<DocumentNode, string>();

function describeDocument({ document, operationName, isTrusted }: ChosenOperation): ObservedDocument | null {
  const definition = getOperationAST(document, operationName);
  if (!definition) return null;
  let hash = hashes.get(document);
  if (hash === undefined) {
    hash = createHash('sha256')
      .update(document.loc?.source.body ?? '')
      .digest('hex');
    hashes.set(document, hash);
  }
  return { type: definition.operation, name: definition.name?.value ?? null, hash, isTrusted };
}
