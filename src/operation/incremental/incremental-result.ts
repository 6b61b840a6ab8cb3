// Describes the parts in which the result of an operation with `@defer` or `@stream` arrives.
import type { ExecutionResult, GraphQLError } from 'graphql';

/**
 * How the parts of a result are written: each with its path, as clients of graphql 16 know them; or each with an id that `pending` has
 * announced and `completed` ends, as the coming specification says.
 */
export type PartsFormat = 'path' | 'pending';

/** A part that is announced: fields at a path, or further items of the list there. */
export interface PendingPart {
  readonly id: string;
  readonly path: readonly (string | number)[];
  readonly label?: string;
}

/** The end of an announced part. */
export interface CompletedPart {
  readonly id: string;
  /** Why there is nothing of it, or no more. */
  readonly errors?: readonly GraphQLError[];
}

/** Fields of a deferred fragment, or items of a streamed list. */
export interface IncrementalPart {
  readonly data?: object | null;
  readonly items?: readonly unknown[] | null;
  /** Its place, or its id. */
  readonly path?: readonly (string | number)[];
  readonly id?: string;
  readonly errors?: readonly GraphQLError[];
}

/** Writes a result, formatted for clients, of which a part is written already. */
export interface ResultWriter {
  /** Writes what `JSON.stringify` does, as bytes in pieces, which never need a large part of the memory at once. */
  encode(formatted: object): readonly Buffer[];
}

/** A whole result, or one of its parts: the first has `data`, all but the last have `hasNext: true`. */
export interface IncrementalResult extends ExecutionResult, Partial<ResultWriter> {
  readonly hasNext?: boolean;
  readonly incremental?: readonly IncrementalPart[];
  readonly pending?: readonly PendingPart[];
  readonly completed?: readonly CompletedPart[];
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
    const room = Math.max(0, limit - count);
    count += errors.length;
    return errors.length > room ? errors.slice(0, room) : errors;
  });
  if (count <= limit) return result;
  return { ...limited, extensions: { ...limited.extensions, omittedErrors: count - limit } };
}

function mapErrorLists<R extends IncrementalResult>(
  result: R,
  map: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): R {
  const { errors, incremental, completed } = result;
  if (errors === undefined && incremental === undefined && completed === undefined) return result;
  const mapThose = <P extends { readonly errors?: readonly GraphQLError[] }>(parts: readonly P[]): P[] =>
    parts.map((part) => (part.errors ? { ...part, errors: map(part.errors) } : part));
  return {
    ...result,
    ...(errors && { errors: map(errors) }),
    ...(incremental && { incremental: mapThose(incremental) }),
    ...(completed && { completed: mapThose(completed) }),
  };
}
