// Reports the errors and warnings of GraphQL results on standard error, and chooses exit codes for them.
import type { ExecutionResult, GraphQLError } from 'graphql';
import { isRecord } from '../../config/given-settings.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { note } from './output.ts';

/** Error codes with an exit code of their own. All others are findings. */
const EXIT_CODES_OF_ERRORS: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: EXIT_CODES.usage,
  UNAUTHENTICATED: EXIT_CODES.credentials,
  UPSTREAM_UNAVAILABLE: EXIT_CODES.unreachable,
  UPSTREAM_TIMEOUT: EXIT_CODES.unreachable,
};

/** Reports what is wrong with a result. @returns The exit code for it. */
export function reportResult({ data, errors = [], extensions }: ExecutionResult): number {
  for (const warning of listOf(extensions?.['warnings'])) note(`warning: ${describeWarning(warning)}`);
  for (const error of errors) note(`error: ${describeError(error)}`);
  const refusals = Object.entries(data ?? {}).flatMap(([field, payload]) =>
    isRecord(payload) ? listOf(payload['userErrors']).map((refusal) => ({ field, refusal })) : [],
  );
  for (const { field, refusal } of refusals) note(`refused: ${field}: ${messageOf(refusal)}`);
  const [first] = errors;
  if (first !== undefined) return exitCodeOf(first, data);
  return refusals.length > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function exitCodeOf({ extensions }: GraphQLError, data: unknown): number {
  // With data, the operation was valid and the API has answered.
  if (isRecord(data) && Object.values(data).some((value) => value !== null)) return EXIT_CODES.failed;
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
  if (!isRecord(warning)) return String(warning);
  const { code, message, coordinate } = warning;
  return [code, message, coordinate].filter((one) => typeof one === 'string').join(', ');
}

const messageOf = (refusal: unknown): string =>
  isRecord(refusal) ? String(refusal['message'] ?? refusal['code'] ?? 'refused') : String(refusal);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
