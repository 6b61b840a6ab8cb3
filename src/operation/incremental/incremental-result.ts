// Describes the parts in which the result of an operation with `@defer` or `@stream` arrives.
import type { ExecutionResult, GraphQLError } from 'graphql';

/** Fields of a deferred fragment, or items of a streamed list. */
export interface IncrementalPart {
  readonly data?: object | null;
  readonly items?: readonly unknown[] | null;
  readonly path?: readonly (string | number)[];
  readonly errors?: readonly GraphQLError[];
}

/** A whole result, or one of its parts: the first has `data`, all but the last have `hasNext: true`. */
export interface IncrementalResult extends ExecutionResult {
  readonly hasNext?: boolean;
  readonly incremental?: readonly IncrementalPart[];
  /** Writes the result, formatted for clients, where a part of it is written already. Yoga calls it in place of `JSON.stringify`. */
  stringify?(formatted: object): string;
}

/** Whether a result arrives in parts, of which this is one. */
export const isPart = ({ hasNext }: IncrementalResult): boolean => hasNext !== undefined;

/** Replaces each error of a result, also those of its deferred fragments and streamed items. */
export function mapErrors<R extends IncrementalResult>(
  result: R,
  map: (error: GraphQLError) => GraphQLError,
): R {
  const { errors, incremental } = result;
  if (errors === undefined && incremental === undefined) return result;
  return {
    ...result,
    ...(errors && { errors: errors.map(map) }),
    ...(incremental && {
      incremental: incremental.map((part) =>
        part.errors ? { ...part, errors: part.errors.map(map) } : part,
      ),
    }),
  };
}
