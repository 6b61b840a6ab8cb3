// Lists the trusted documents that a caller can execute.
import { type GraphQLSchema, parse } from 'graphql';
import type { Session } from '../../callers/session.ts';
import { runWithPauses, type Steps, withoutStacks } from '../../upstream/steps.ts';
import { validationSteps } from './validation/validate-document.ts';

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
  async list({ served: { schema }, pause }: Pick<Session, 'served' | 'pause'>) {
    const valid = this.#valid.get(schema) ?? (await runWithPauses(this.#validSteps(schema), pause));
    this.#valid.set(schema, valid);
    return valid;
  }

  *#validSteps(schema: GraphQLSchema): Steps<readonly CollectedDocument[]> {
    const valid: CollectedDocument[] = [];
    for (const [id, query] of this.#texts) {
      const errors = yield* withoutStacks(validationSteps(schema, parse(query)));
      if (errors.length === 0) valid.push({ id, query });
      yield;
    }
    return valid;
  }
}
