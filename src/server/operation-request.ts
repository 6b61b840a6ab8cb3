// Defines what a transport passes to the pipeline.
import type { OperationDefinitionNode } from 'graphql';
import type { Requester } from '../callers/session.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import type { Allowance } from './cost/cost-limit.ts';
import type { OperationReport } from './reports/operation-report.ts';

/** One operation as a transport has received it. */
export interface OperationRequest {
  readonly requester: Requester;
  /** Reads what the client has sent as its parameters. Nothing has checked them. @throws when they cannot be read. */
  readSent(): unknown;
  /** Null when nobody observes operations. The transport begins and ends it. */
  readonly report: OperationReport | null;
  /** Whether its document is one that the operator trusts. Set when its parameters are read. */
  isTrusted?: boolean;
  /** What is left of the client’s budget; null or absent where that is unknown. */
  allowance?: Allowance | null;
  /** The estimated cost. Absent before the estimate. */
  estimate?: number;
  /** Reads a header of this operation alone; null for none. Absent where headers are those of a connection. */
  readonly ownHeader?: HeaderReader;
  /** Whether the client takes the result of `@defer` and `@stream` in parts; otherwise it gets the whole result at once. */
  readonly acceptsParts: boolean;
  /** What a live query becomes: a stream of results, one result with a warning, or one of its executions. */
  readonly liveAs: 'stream' | 'result' | 'execution';
  /** Called when the operation is known; a live query comes again as a subscription. @throws the error of one that the transport does not carry out. */
  admit(definition: Pick<OperationDefinitionNode, 'operation'>): void;
  /** Called with the cause of a refusal, which the client does not get. */
  onRefusal?(error: unknown): void;
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
