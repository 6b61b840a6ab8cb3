// Reports the errors and warnings of GraphQL results on standard error, and chooses exit codes for them.
import {
  type DocumentNode,
  type ExecutionResult,
  FieldsOnCorrectTypeRule,
  type GraphQLError,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  validate,
} from 'graphql';
import type { Client } from '../client/client.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { isObject } from './values.ts';

/** Error codes with an exit code of their own. All others are findings. */
const EXIT_CODES_OF_ERRORS: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: EXIT_CODES.usage,
  UNAUTHENTICATED: EXIT_CODES.credentials,
  UPSTREAM_UNAVAILABLE: EXIT_CODES.unreachable,
  UPSTREAM_TIMEOUT: EXIT_CODES.unreachable,
};

/** Rules about names that a schema has. */
const NAMES = [FieldsOnCorrectTypeRule, KnownTypeNamesRule, KnownArgumentNamesRule];

/** Reports what is wrong with the results of one command, each message once. */
export class ResultReport {
  /** The exit code for all results: the highest of them. */
  code: number = EXIT_CODES.ok;
  readonly #client: Client;
  readonly #document: DocumentNode;
  readonly #shown = new Set<string>();

  constructor(client: Client, document: DocumentNode) {
    this.#client = client;
    this.#document = document;
  }

  /** Reports what is wrong with a result. */
  async add({ data, errors = [], extensions }: ExecutionResult): Promise<void> {
    for (const warning of listOf(extensions?.['warnings']))
      this.#show(`warning: ${describeWarning(warning)}`);
    for (const error of errors) this.#show(`error: ${describeError(error)}`);
    const [first] = errors;
    if (first !== undefined) {
      const code = await this.#advise(exitCodeOf(first, data));
      this.code = Math.max(this.code, code);
    }
    // What others own does not exist for an anonymous caller.
    if (
      errors.some(({ extensions: { code } = {} }) => code === 'NOT_FOUND') &&
      this.#client.signInAdvice !== null
    )
      this.#show(this.#client.signInAdvice);
    for (const [field, payload] of Object.entries(data ?? {})) {
      const refusals = isObject(payload) ? listOf(payload['userErrors']) : [];
      for (const refusal of refusals)
        this.#show(`refused: ${[field, ...inputOf(refusal)].join('.')}: ${messageOf(refusal)}`);
      if (refusals.length > 0) this.code = Math.max(this.code, EXIT_CODES.failed);
    }
  }

  /** Advises an anonymous caller who lacks rights, or names what the schema of others may have. @returns The exit code. */
  async #advise(code: number): Promise<number> {
    const { signInAdvice } = this.#client;
    if (signInAdvice === null) return code;
    if (code !== EXIT_CODES.credentials && !(code === EXIT_CODES.usage && (await this.#lacksNames())))
      return code;
    this.#show(signInAdvice);
    return EXIT_CODES.credentials;
  }

  async #lacksNames(): Promise<boolean> {
    const schema = await this.#client.readSchema();
    return schema !== null && validate(schema, this.#document, NAMES).length > 0;
  }

  #show(line: string): void {
    if (!this.#shown.has(line)) note(line);
    this.#shown.add(line);
  }
}

/** The data of a result without errors. @throws CommandError for the first error. */
export function dataOf({ data, errors: [first] = [] }: ExecutionResult): Readonly<Record<string, unknown>> {
  if (first !== undefined) throw new CommandError(exitCodeOf(first, null), describeError(first));
  return data ?? {};
}

function exitCodeOf({ extensions }: GraphQLError, data: unknown): number {
  // With data, the operation was valid and the API has answered.
  if (isObject(data) && Object.values(data).some((value) => value !== null)) return EXIT_CODES.failed;
  // Validation gives no code.
  return EXIT_CODES_OF_ERRORS[String(extensions?.['code'] ?? 'BAD_USER_INPUT')] ?? EXIT_CODES.failed;
}

function describeError({ message, path, locations, extensions }: GraphQLError): string {
  const [at] = locations ?? [];
  const place = path?.join('.') ?? (at === undefined ? undefined : `line ${at.line}, column ${at.column}`);
  const code = extensions?.['code'];
  return [message, `(${[code, place].filter((one) => one !== undefined).join(', ')})`].join(' ');
}

function describeWarning(warning: unknown): string {
  if (!isObject(warning)) return String(warning);
  const { code, message, coordinate } = warning;
  return [code, message, coordinate].filter((one) => typeof one === 'string').join(', ');
}

/** The names that lead to the input of a user error; empty where it belongs to none, or the path was not selected. */
const inputOf = (refusal: unknown): readonly unknown[] => listOf(isObject(refusal) ? refusal['path'] : null);

const messageOf = (refusal: unknown): string =>
  isObject(refusal) ? String(refusal['message'] ?? refusal['code'] ?? 'refused') : String(refusal);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
