// Collects the errors of fields.
import type { GraphQLError } from 'graphql';
import type { Path } from './resolve-info.ts';

/** The errors of one execution, without those below a position that has become null. */
export class FieldErrors {
  /** The paths at which an error has left null. */
  readonly #nulledPaths = new Set<Path>();
  readonly #errors: GraphQLError[] = [];

  /** The errors in the order in which they happened. The array grows while the execution runs. */
  get errors(): readonly GraphQLError[] {
    return this.#errors;
  }

  /** Adds the error that leaves null at a path, unless an earlier error has left null there or above. */
  add(error: GraphQLError, path: Path): void {
    if (this.isNulled(path)) return;
    this.#nulledPaths.add(path);
    this.#errors.push(error);
  }

  /** Whether an error has left null at a path or above it. */
  isNulled(path: Path): boolean {
    if (this.#nulledPaths.size === 0) return false;
    for (let position = path; position !== undefined; position = position.prev)
      if (this.#nulledPaths.has(position)) return true;
    return this.#nulledPaths.has(undefined);
  }
}
