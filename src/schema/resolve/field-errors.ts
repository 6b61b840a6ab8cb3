// Makes the user errors of fields.
import { ActionFailedError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { ValidationCode, ValidationFailure } from '../../upstream/validation/validators.ts';
import { readInteger } from '../types/values.ts';

/** The value of a `UserError`. */
export interface UserErrorShape {
  readonly message: string;
  readonly code: UserErrorCode;
  /** GraphQL input names. Null if the error does not belong to one input. */
  readonly path: readonly string[] | null;
  /** The upstream parameter name. */
  readonly parameter: string | null;
}

type RefusalCode = 'RESOURCE_LOCKED' | 'CONFLICT' | 'NOT_CANCELLABLE' | 'ACTION_FAILED' | 'REFUSED';

/** The code of a user error, a value of the enum `UserErrorCode`. */
export type UserErrorCode = ValidationCode | RefusalCode;

/** Descriptions of the codes of user errors. */
export const USER_ERROR_CODES: Readonly<Record<UserErrorCode, string>> = {
  REQUIRED: 'The input is missing.',
  NULL_NOT_ALLOWED: 'The input is null and must have a value.',
  TYPE_MISMATCH: 'The value does not have the type of the input.',
  NOT_ACCEPTED: 'The value is not the one that the API accepts.',
  NOT_INCLUDED: 'The value is not one of the allowed values.',
  EXCLUDED: 'The value is one of the forbidden values.',
  FORMAT: 'The value does not have the required format.',
  TOO_SHORT: 'The value is shorter than the minimum length.',
  TOO_LONG: 'The value is longer than the maximum length.',
  WRONG_LENGTH: 'The value does not have the required length.',
  TOO_SMALL: 'The number is less than the minimum.',
  TOO_LARGE: 'The number is greater than the maximum.',
  STEP: 'The number is not on a step of the allowed range.',
  CONFIRMATION: 'The value does not agree with the input that it confirms.',
  INVALID: 'The API rejects the input; the message has its reason.',
  RESOURCE_LOCKED: 'The object is locked by another action. The write may succeed later.',
  CONFLICT: 'The write conflicts with the state of the object.',
  NOT_CANCELLABLE: 'The API refuses to cancel the action.',
  ACTION_FAILED: 'The API accepted the action, and the action failed.',
  REFUSED: 'The API rejects the write as a whole; the message has its reason.',
};

/** Paths of GraphQL inputs by the parameters that they set. */
export type InputPaths = ReadonlyMap<string, readonly string[]>;

/** Converts failures of described rules to user errors with GraphQL input names. */
export const fromFailures = (
  failures: readonly ValidationFailure[],
  paths: InputPaths,
): readonly UserErrorShape[] =>
  failures.map(({ parameter, code, message }) => ofParameter(parameter, code, message, paths));

const ofParameter = (
  parameter: string,
  code: UserErrorCode,
  message: string,
  paths: InputPaths,
): UserErrorShape => ({ message, code, path: paths.get(parameter) ?? null, parameter });

const single = (code: UserErrorCode, message: string): readonly UserErrorShape[] => [
  { message, code, path: null, parameter: null },
];

/** Converts the API's messages about single parameters to user errors. */
const fromMessages = ({ errors }: ActionFailedError, paths: InputPaths): readonly UserErrorShape[] =>
  [...errors].flatMap(([parameter, messages]) =>
    messages.map((message) => ofParameter(parameter, 'INVALID', message, paths)),
  );

/** Statuses of a refusal that say nothing else, or that the request as a whole is bad: its input may be the reason. */
const INPUT_STATUSES: ReadonlySet<number> = new Set([200, 400, 422]);

/**
 * Converts a rejection of a read to the user errors of its input. Returns null if the input is not at fault: the API names no
 * parameter, and the client has given no input, or the status is about something else.
 */
export function fromReadRefusal(error: ActionFailedError): readonly UserErrorShape[] | null {
  const { status = 0, errors, message, inputPaths, hasInput } = error;
  if (errors.size > 0) return status < 500 ? fromMessages(error, inputPaths) : null;
  return hasInput && INPUT_STATUSES.has(status) ? single('REFUSED', message) : null;
}

/** Statuses about the credential, the rights, a missing object and the load. They are GraphQL errors, also with errors by parameter. */
const ERROR_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 410, 429]);
/** Statuses about the method, the host, the formats and the transfer of a request, which the facade chooses. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([405, 406, 408, 411, 415, 421]);

/**
 * Converts a rejection of a write to user errors. Returns null if the rejection is a GraphQL error: missing rights, a missing
 * object, or a fault of the server or of the request. Codes are derived from the HTTP status and the action, never from messages,
 * which are localized.
 */
export function fromRefusal(
  error: unknown,
  paths: InputPaths,
  isCancel = false,
): readonly UserErrorShape[] | null {
  if (!(error instanceof ActionFailedError)) return null;
  const { status = 0, errors, message } = error;
  if (status === 423) return single('RESOURCE_LOCKED', message);
  if (status === 409) return single('CONFLICT', message);
  if (status >= 500 || ERROR_STATUSES.has(status)) return null;
  if (errors.size > 0) return fromMessages(error, paths);
  const isRefusal = status < 300 || (status >= 400 && !REQUEST_STATUSES.has(status));
  return isRefusal ? single(isCancel ? 'NOT_CANCELLABLE' : 'REFUSED', message) : null;
}

/** The user error of a failed action, from its last state: its label and its progress, as far as the API says them. */
export function fromFailedAction({ label, current, total, unit }: JsonObject): UserErrorShape {
  const action = isText(label) ? `The action ${JSON.stringify(label)}` : 'The action';
  const [done, whole] = [readInteger(current), readInteger(total)];
  const isKnown = done !== undefined && whole !== undefined && whole > 0;
  const progress = isKnown ? ` at ${done} of ${whole}${isText(unit) ? ` ${unit}` : ''}` : '';
  return { message: `${action} failed${progress}.`, code: 'ACTION_FAILED', path: null, parameter: null };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
