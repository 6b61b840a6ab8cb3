// Describes the parts in which the result of an operation with `@defer` or `@stream` arrives.
import type { ExecutionResult, GraphQLError } from 'graphql';

/** Fields of a deferred fragment, or items of a streamed list. */
export interface IncrementalPart {
  readonly data?: object | null;
  readonly items?: readonly unknown[] | null;
  readonly path?: readonly (string | number)[];
  readonly label?: string;
  readonly errors?: readonly GraphQLError[];
}

/** A whole result, or one of its parts: the first has `data`, all but the last have `hasNext: true`. */
export interface IncrementalResult extends ExecutionResult {
  readonly hasNext?: boolean;
  readonly incremental?: readonly IncrementalPart[];
}

/** Whether this is one part of a result that arrives in parts. */
export const isPart = ({ hasNext }: IncrementalResult): boolean => hasNext !== undefined;

/** Replaces each error of a result, also those of its deferred fragments and streamed items. */
export const mapErrors = <R extends IncrementalResult>(
  result: R,
  map: (error: GraphQLError) => GraphQLError,
): R => mapErrorLists(result, (errors) => errors.map(map));

/** Leaves out all errors of a result beyond a number, and counts them in its extension `omittedErrors`. */
export function limitErrors<R extends IncrementalResult>(result: R, limit: number): R {
  let count = 0;
  const limited = mapErrorLists(result, (errors) => {
    const left = Math.max(0, limit - count);
    count += errors.length;
    return errors.length > left ? errors.slice(0, left) : errors;
  });
  if (count <= limit) return result;
  return { ...limited, extensions: { ...limited.extensions, omittedErrors: count - limit } };
}

function mapErrorLists<R extends IncrementalResult>(
  result: R,
  map: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): R {
  const { errors, incremental } = result;
  if (errors === undefined && incremental === undefined) return result;
  return {
    ...result,
    ...(errors && { errors: map(errors) }),
    ...(incremental && {
      incremental: incremental.map((part) => (part.errors ? { ...part, errors: map(part.errors) } : part)),
    }),
  };
}
