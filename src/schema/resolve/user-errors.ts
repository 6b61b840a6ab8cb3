import { ActionFailedError } from '../../upstream/errors/upstream-errors.ts';
import type { ValidationFailure } from '../../upstream/validation/validators.ts';
import type { Builder } from '../builder.ts';

/** An input, and the parameter that it stands for. */
export interface NamedInput {
  readonly name: string;
  readonly parameter: { readonly name: string };
}

/** What keeps a write from being done, as data. */
export interface UserErrorShape {
  readonly message: string;
  readonly code: string;
  /** In GraphQL's input names; null where no single input is meant. */
  readonly path: readonly string[] | null;
  /** In upstream's names. */
  readonly parameter: string | null;
}

const CODES = [
  'REQUIRED',
  'NULL_NOT_ALLOWED',
  'TYPE_MISMATCH',
  'NOT_ACCEPTED',
  'NOT_INCLUDED',
  'EXCLUDED',
  'FORMAT',
  'TOO_SHORT',
  'TOO_LONG',
  'WRONG_LENGTH',
  'TOO_SMALL',
  'TOO_LARGE',
  'STEP',
  'CONFIRMATION',
  'INVALID',
  'RESOURCE_LOCKED',
  'CONFLICT',
  'NOT_CANCELLABLE',
  'ACTION_FAILED',
  'REFUSED',
] as const;

/** Adds the type `UserError`. */
export function createUserErrorType(builder: Builder) {
  const ref = builder.objectRef<UserErrorShape>('UserError');
  builder.objectType(ref, {
    description:
      'What kept a write from being done, or what the API refused. Data, not an error of the operation.',
    fields: (t) => ({
      message: t.exposeString('message', {
        nullable: false,
        description: 'For people; the API’s own words.',
      }),
      code: t.exposeString('code', {
        nullable: false,
        description: `One of ${CODES.map((code) => `\`${code}\``).join(', ')}.`,
      }),
      path: t.stringList({
        description: 'The input that is meant.',
        resolve: ({ path }) => (path === null ? null : [...path]),
      }),
      parameter: t.exposeString('parameter', { description: 'The same by the API’s own name.' }),
    }),
  });
  return ref;
}

/** Failures of described rules, under the names of GraphQL. */
export function fromFailures(
  failures: readonly ValidationFailure[],
  fields: readonly NamedInput[],
  prefix: readonly string[],
): readonly UserErrorShape[] {
  return failures.map(({ parameter, code, message }) => ({
    message,
    code,
    parameter,
    path: pathOf(parameter, fields, prefix),
  }));
}

/**
 * What the upstream refused, as data; null where its refusal is an error of the operation: rights, a missing object, a fault.
 * Codes come from the HTTP status and the place, never from texts, which are localised.
 */
export function fromRefusal(
  error: unknown,
  fields: readonly NamedInput[],
  prefix: readonly string[],
  isCancel: boolean,
): readonly UserErrorShape[] | null {
  if (!(error instanceof ActionFailedError)) return null;
  const { status = 0, errors, message } = error;
  const plain = (code: string): UserErrorShape[] => [{ message, code, path: null, parameter: null }];
  if (status === 423) return plain('RESOURCE_LOCKED');
  if (status === 409) return plain('CONFLICT');
  if (status >= 500 || status === 401 || status === 403 || status === 404 || status === 429) return null;
  if (errors.size > 0) {
    return [...errors].flatMap(([parameter, messages]) =>
      messages.map((text) => ({
        message: text,
        code: 'INVALID',
        parameter,
        path: pathOf(parameter, fields, prefix),
      })),
    );
  }
  return status < 300 ? plain(isCancel ? 'NOT_CANCELLABLE' : 'REFUSED') : null;
}

function pathOf(
  parameter: string,
  fields: readonly NamedInput[],
  prefix: readonly string[],
): readonly string[] | null {
  const field = fields.find((candidate) => candidate.parameter.name === parameter);
  return field === undefined ? null : [...prefix, field.name];
}
