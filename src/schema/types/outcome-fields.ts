// Adds the fields that all payloads have: `userErrors` and `query`.

import type { Builder, QueryRef } from '../builder.ts';
import { createUserErrorType, type UserErrorShape } from '../resolve/user-errors.ts';

/** Values that every payload has. */
export interface Outcome {
  readonly userErrors: readonly UserErrorShape[];
}

const ROOT = {};

/** Declares the payload types of one schema with the fields that all of them have. */
export class OutcomeFields {
  readonly #builder: Builder;
  readonly #query: QueryRef;
  #userError: ReturnType<typeof createUserErrorType> | undefined;

  constructor(builder: Builder, query: QueryRef) {
    this.#builder = builder;
    this.#query = query;
  }

  /** Declares a payload type with `userErrors` and `query`. */
  createPayload<Shape extends Outcome>(name: string, description: string) {
    // A schema without writes has no type UserError.
    this.#userError ??= createUserErrorType(this.#builder);
    const userError = this.#userError;
    const ref = this.#builder.objectRef<Shape>(name);
    this.#builder.objectType(ref, {
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
    return ref;
  }
}
