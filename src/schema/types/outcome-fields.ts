import type { Builder, QueryRef } from '../builder.ts';
import { createUserErrorType, type UserErrorShape } from '../resolve/user-errors.ts';

/** What every payload tells. */
export interface Outcome {
  readonly userErrors: readonly UserErrorShape[];
}

const ROOT = {};

/** The fields that all payloads of one schema share: `userErrors` and `query`. */
export class OutcomeFields {
  readonly #builder: Builder;
  readonly #query: QueryRef;
  #userError: ReturnType<typeof createUserErrorType> | undefined;

  constructor(builder: Builder, query: QueryRef) {
    this.#builder = builder;
    this.#query = query;
  }

  /** Declares a payload type with them. */
  createPayload<Shape extends Outcome>(name: string, description: string) {
    // Not before: a schema without writes has no such type.
    this.#userError ??= createUserErrorType(this.#builder);
    const userError = this.#userError;
    const ref = this.#builder.objectRef<Shape>(name);
    this.#builder.objectType(ref, {
      description,
      fields: (t) => ({
        userErrors: t.field({
          type: [userError],
          nullable: { list: false, items: false },
          description: 'Why it was not done; empty when it was.',
          resolve: ({ userErrors }) => [...userErrors],
        }),
        query: t.field({
          type: this.#query,
          nullable: false,
          description: 'Reads after the write.',
          resolve: () => ROOT,
        }),
      }),
    });
    return ref;
  }
}
