// Defines what a transport passes to the pipeline.
import type { OperationTypeNode } from 'graphql';
import type { Requester } from '../callers/session.ts';
import type { Allowance } from './cost/cost-limit.ts';
import type { PartsFormat } from './incremental/incremental-result.ts';
import type { OperationReport } from './reports/operation-report.ts';
import type { Retry } from './retries/retry.ts';

/** One operation as a transport has received it. */
export interface OperationRequest {
  readonly requester: Requester;
  /** Bytes that the request holds while it waits for its turn. Null: it has had its turn already. */
  readonly waitingSize: number | null;
  /** Reads what the client has sent as its parameters. Nothing has checked them. @throws when they cannot be read. */
  readSent(): unknown;
  /** Null when nobody observes operations. The transport begins and ends it. */
  readonly report: OperationReport | null;
  /** What is left of the client’s budget. Set when the operation is charged. */
  allowance?: Allowance | null;
  /** The header `Idempotency-Key`; null or absent for none, as where headers are those of a connection. */
  readonly idempotencyHeader?: string | null;
  /** Set when a mutation with a key is admitted. */
  retry?: Retry | null;
  /** How the client takes the result of `@defer` and `@stream` in parts. Null: it gets the whole result at once. */
  readonly acceptedParts: PartsFormat | null;
  /** What a live query becomes: a stream of results, one result with a warning, or one of its executions. */
  readonly liveAs: 'stream' | 'result' | 'execution';
  /** Set when it becomes a stream of results, each of which comes in one part. */
  isLive?: boolean;
  /** Called when the kind of the operation is known; `subscription` for each that is a stream. @throws the error of an operation that the transport does not carry out. */
  admit(kind: OperationTypeNode): void;
  /** Called with the cause of a refusal, which the client does not get. */
  onRefusal?(error: unknown): void;
  /** Takes over the memory of a result: the transport calls `release` when it has sent the result, or never will. Default: at once. */
  holdResult?(release: () => void): void;
  /** Writes a large result when the client has read the ones before. Default: it is the only one of its connection. */
  writeInOrder?<R>(write: () => Promise<R>): Promise<R>;
}

/** What an error does where the type is non-null: null takes the place of the value, or of the nearest nullable parent. */
export type OnError = 'NULL' | 'PROPAGATE';

/** The parameters of an operation, after its document is found. */
export interface OperationParams {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError | null | undefined;
}
