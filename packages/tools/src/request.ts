// Reads the document and the variables of a command line.
import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import type { OperationRequest } from './client/client.ts';
import { usageError } from './command-line/exit-codes.ts';
import { isObject } from './output/values.ts';

/** Options that name an operation and its variables. */
export interface RequestOptions {
  readonly variables?: string;
  readonly variable?: readonly string[];
  readonly operation?: string;
  readonly idempotencyKey?: string;
}

/** An operation as it is given on the command line. */
export interface GivenRequest {
  /** The text of the document, to whose lines errors refer. */
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** By which the server executes a mutation once; undefined for none. */
  readonly idempotencyKey: string | undefined;
}

/** How a document begins; all other texts are names of files. */
const DOCUMENT = /^\s*(#|\{|(query|mutation|subscription|fragment)\b(?!\.))/;

/** Reads an operation. @throws CommandError when it cannot be read. */
export async function readRequest(given: string, options: RequestOptions): Promise<GivenRequest> {
  const source =
    given === '-' ? await readText(process.stdin) : DOCUMENT.test(given) ? given : readNamed(given);
  const document = parseDocument(source);
  const operation = getOperationAST(document, options.operation);
  if (operation === null || operation === undefined)
    throw usageError(
      options.operation === undefined
        ? 'The document has no operation or several; name one with --operation NAME.'
        : `The document has no operation ${JSON.stringify(options.operation)}.`,
    );
  const { idempotencyKey } = options;
  if (idempotencyKey !== undefined && operation.operation !== 'mutation')
    throw usageError('--idempotency-key is for mutations: other operations can be repeated without one.');
  return { source, document, operation, variables: readVariables(options), idempotencyKey };
}

/** Makes the request that executes a given operation. */
export const toRequest = ({
  source,
  operation,
  variables,
  idempotencyKey,
}: GivenRequest): OperationRequest => ({
  query: source,
  variables,
  ...(operation.name === undefined ? {} : { operationName: operation.name.value }),
  ...(idempotencyKey === undefined ? {} : { extensions: { idempotencyKey } }),
});

/** Reads a file that an argument names. @throws CommandError when it cannot be read. */
export function readNamed(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(
      `The file ${JSON.stringify(file)} cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
}

/** Parses JSON that people give. @throws CommandError when it is none. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${what} must be JSON.`);
  }
}

function parseDocument(source: string): DocumentNode {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [{ line, column } = { line: 1, column: 1 }] = error.locations ?? [];
    throw usageError(`The document is invalid at line ${line}, column ${column}: ${error.message}`);
  }
}

function readVariables({ variables, variable = [] }: RequestOptions): Readonly<Record<string, unknown>> {
  const all = variables === undefined ? {} : readObject(variables);
  return Object.fromEntries([...Object.entries(all), ...variable.map(readPair)]);
}

function readObject(given: string): Readonly<Record<string, unknown>> {
  const text = given.trimStart().startsWith('{') ? given : readNamed(given);
  const value = parseJson(text, '--variables');
  if (!isObject(value)) throw usageError('--variables must be a JSON object, such as {"id": 7}.');
  return value;
}

function readPair(given: string): readonly [string, unknown] {
  const [name = '', ...rest] = given.split('=');
  if (name === '' || rest.length === 0) throw usageError('--variable must be like id=7.');
  const text = rest.join('=');
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}
