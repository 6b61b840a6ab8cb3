// Collects the errors of fields.
import type { GraphQLError } from 'graphql';
import type { Path } from './response-path.ts';

/** The errors of one execution, without those below a position that has become null. */
export class FieldErrors {
  readonly #positions = new Set<Path>();
  readonly #errors: GraphQLError[] = [];

  /** The errors in the order in which they happened. An error that happens later is added. */
  get errors(): readonly GraphQLError[] {
    return this.#errors;
  }

  /** Records that the position of `path` has become null. */
  add(error: GraphQLError, path: Path): void {
    if (this.#isNulled(path)) return;
    this.#positions.add(path);
    this.#errors.push(error);
  }

  #isNulled(path: Path): boolean {
    if (this.#positions.size === 0) return false;
    for (let position = path; position !== undefined; position = position.prev)
      if (this.#positions.has(position)) return true;
    return this.#positions.has(undefined);
  }
}
