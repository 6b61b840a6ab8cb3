// Defines what a transport passes to the pipeline, and checks the parameters in it.
import { GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { Requester } from '../callers/requester.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import type { Allowance } from './cost/cost-limit.ts';
import type { OperationReport } from './operation-report.ts';

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

const NAMES: ReadonlySet<string> = new Set([
  'query',
  'documentId',
  'variables',
  'operationName',
  'extensions',
  'onError',
]);

/** Checks what a client has sent as the parameters of an operation. @throws GraphQLError with the status 400, which says what is wrong. */
export function readParams(sent: unknown): OperationParams {
  if (!isObject(sent)) throw refuse(`The parameters of an operation must be an object, not ${kindOf(sent)}.`);
  const unknown = Object.keys(sent).find((name) => !NAMES.has(name) && sent[name] != null);
  if (unknown !== undefined) throw refuse(`Unexpected parameter "${unknown}" in the request body.`);
  const { query, operationName, onError } = sent;
  if (query == null) throw refuse('Must provide query string.');
  if (typeof query !== 'string')
    throw refuse(`The parameter "query" must be a string, not ${kindOf(query)}.`);
  for (const name of ['variables', 'extensions'])
    if (sent[name] != null && !isObject(sent[name]))
      throw refuse(`The parameter "${name}" must be an object, not ${kindOf(sent[name])}.`);
  if (operationName != null && typeof operationName !== 'string')
    throw refuse(`The parameter "operationName" must be a string, not ${kindOf(operationName)}.`);
  if (onError != null && onError !== 'NULL' && onError !== 'PROPAGATE')
    throw refuse('The parameter "onError" must be NULL or PROPAGATE.');
  return sent as unknown as OperationParams;
}

/**
 * Whether a client wants the estimated cost of an operation instead of its result: by `extensions.estimateOnly`, or the header
 * `Estimate-Only: true` of a request over HTTP.
 * @throws GraphQLError with the status 400 for other values.
 */
export function wantsEstimate(
  { ownHeader }: Pick<OperationRequest, 'ownHeader'>,
  { extensions }: Pick<OperationParams, 'extensions'>,
): boolean {
  const inBody = extensions?.['estimateOnly'] ?? false;
  if (typeof inBody !== 'boolean') throw refuse('The extension "estimateOnly" must be true or false.');
  const inHeader = ownHeader?.('estimate-only')?.trim().toLowerCase() ?? 'false';
  if (inHeader !== 'true' && inHeader !== 'false')
    throw refuse('The header Estimate-Only must be true or false.');
  return inBody || inHeader === 'true';
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Makes the error of a request that is no operation. */
export const refuse = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status: 400 } } });
