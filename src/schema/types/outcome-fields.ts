// Adds the fields that all payloads have: `userErrors` and `query`.
import type { Builder, QueryRef } from '../builder.ts';
import { memo } from '../memo.ts';
import { USER_ERROR_CODES, type UserErrorShape } from '../resolve/field-errors.ts';

/** Values that every payload has. */
export interface Outcome {
  readonly userErrors: readonly UserErrorShape[];
}

const ROOT = {};

/** Declares the payload types of one schema with the fields that all of them have. */
export class OutcomeFields {
  readonly #builder: Builder;
  readonly #query: QueryRef;
  /** A schema without writes has no type UserError. */
  readonly #userErrorOf = memo(createUserErrorType);

  constructor(builder: Builder, query: QueryRef) {
    this.#builder = builder;
    this.#query = query;
  }

  /** Declares a payload type with `userErrors` and `query`. */
  createPayload<Shape extends Outcome>(name: string, description: string) {
    const userError = this.#userErrorOf(this.#builder);
    return this.#builder.objectRef<Shape>(name).implement({
      description,
      fields: (t) => ({
        userErrors: t.field({
          type: [userError],
          nullable: { list: false, items: false },
          description:
            'The reasons why the API or the input rules rejected the write, or why its action failed. Empty if there are none.',
          resolve: ({ userErrors }) => [...userErrors],
        }),
        query: t.field({
          type: this.#query,
          nullable: false,
          description: 'The query root, for reading data after the write.',
          resolve: () => ROOT,
        }),
      }),
    });
  }
}

/** Declares the type `UserError` and the enum of its codes. */
function createUserErrorType(builder: Builder) {
  const code = builder.enumType('UserErrorCode', {
    description: 'The possible reasons why a write is rejected or its action fails.',
    values: Object.fromEntries(
      Object.entries(USER_ERROR_CODES).map(([value, description]) => [value, { description }]),
    ),
  });
  return builder.objectRef<UserErrorShape>('UserError').implement({
    description:
      'A reason why a write was rejected or its action failed. It is part of the payload, not a GraphQL error.',
    fields: (t) => ({
      message: t.exposeString('message', {
        nullable: false,
        description: 'A human-readable message in the wording of the API.',
      }),
      code: t.field({
        type: code,
        nullable: false,
        description: 'The reason, for programs.',
        resolve: (error) => error.code,
      }),
      path: t.stringList({
        description:
          'The path to the input that caused the error. Null if the error does not belong to one input.',
        resolve: ({ path }) => (path === null ? null : [...path]),
      }),
      parameter: t.exposeString('parameter', {
        description: 'The name of the parameter that caused the error in the management API.',
      }),
    }),
  });
}
