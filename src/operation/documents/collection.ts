// Lists the trusted documents that a caller can execute.
import { type GraphQLSchema, parse, validate } from 'graphql';
import type { Session } from '../../callers/session.ts';

/** A trusted document. */
export interface CollectedDocument {
  readonly id: string;
  readonly query: string;
}

/** The trusted documents as callers see them: those that are valid in the caller's schema. */
export class Collection {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #valid = new WeakMap<GraphQLSchema, readonly CollectedDocument[]>();

  /** @param texts The documents by id. */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** Lists the documents for a caller, in the operator's order. They are validated once for each schema. */
  list({ served: { schema } }: Pick<Session, 'served'>): readonly CollectedDocument[] {
    let valid = this.#valid.get(schema);
    if (valid === undefined) {
      valid = [...this.#texts].flatMap(([id, query]) =>
        validate(schema, parse(query)).length === 0 ? [{ id, query }] : [],
      );
      this.#valid.set(schema, valid);
    }
    return valid;
  }
}
