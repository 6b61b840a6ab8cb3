// Converts validation failures and rejections of the API to user errors.

import { ActionFailedError } from '../../upstream/errors/upstream-errors.ts';
import { VALIDATION_CODES, type ValidationFailure } from '../../upstream/validation/validators.ts';

/** An input and its parameter. */
export interface NamedInput {
  readonly name: string;
  readonly parameter: { readonly name: string };
}

/** The value of a `UserError`. */
export interface UserErrorShape {
  readonly message: string;
  readonly code: string;
  /** GraphQL input names. Null if the error does not belong to one input. */
  readonly path: readonly string[] | null;
  /** The upstream parameter name. */
  readonly parameter: string | null;
}

const REFUSAL_CODES = ['RESOURCE_LOCKED', 'CONFLICT', 'NOT_CANCELLABLE', 'ACTION_FAILED', 'REFUSED'];

/** The codes of user errors. */
export const CODES: readonly string[] = [...VALIDATION_CODES, ...REFUSAL_CODES];

/** Paths of GraphQL inputs by the parameters that they set. */
export type InputPaths = ReadonlyMap<string, readonly string[]>;

/** @param prefix Path of the object that contains the inputs, e.g. `['filter']`. */
export function inputPathsOf(fields: readonly NamedInput[], prefix: readonly string[]): InputPaths {
  return new Map(fields.map(({ name, parameter }) => [parameter.name, [...prefix, name]]));
}

/** Adds the paths of a field's inputs to the error of a call that the field makes. */
export const withInputPaths = <T>(result: Promise<T>, paths: InputPaths): Promise<T> =>
  result.catch((error: unknown) => {
    throw error instanceof ActionFailedError ? error.withInputPaths(paths) : error;
  });

/** Converts failures of described rules to user errors with GraphQL input names. */
export function fromFailures(
  failures: readonly ValidationFailure[],
  paths: InputPaths,
): readonly UserErrorShape[] {
  return failures.map((failure) => ({ ...failure, path: paths.get(failure.parameter) ?? null }));
}

/** Converts the API's messages about single parameters to user errors. */
export function fromMessages(
  { errors, inputPaths }: ActionFailedError,
  paths: InputPaths = inputPaths,
): readonly UserErrorShape[] {
  return [...errors].flatMap(([parameter, messages]) =>
    messages.map((message) => ({ message, code: 'INVALID', path: paths.get(parameter) ?? null, parameter })),
  );
}

/**
 * Converts a rejection by the API to user errors. Returns null if the rejection is a GraphQL error: missing rights, a missing
 * object or a server fault. Codes are derived from the HTTP status and the action, never from messages, which are localized.
 */
export function fromRefusal(
  error: unknown,
  paths: InputPaths,
  isCancel = false,
): readonly UserErrorShape[] | null {
  if (!(error instanceof ActionFailedError)) return null;
  const { status = 0, errors, message } = error;
  const single = (code: string): UserErrorShape[] => [{ message, code, path: null, parameter: null }];
  if (status === 423) return single('RESOURCE_LOCKED');
  if (status === 409) return single('CONFLICT');
  if (status >= 500 || status === 401 || status === 403 || status === 404 || status === 429) return null;
  if (errors.size > 0) return fromMessages(error, paths);
  return status < 300 ? single(isCancel ? 'NOT_CANCELLABLE' : 'REFUSED') : null;
}
