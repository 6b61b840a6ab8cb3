// Converts the result of a mutation to what is recorded of it, and back.
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { isObject } from '../../upstream/json.ts';

/** A result as JSON. The places of its errors are positions in the document. */
interface RecordedResult extends Omit<ExecutionResult, 'errors'> {
  readonly errors?: readonly (Pick<GraphQLErrorOptions, 'path' | 'positions' | 'extensions'> & {
    readonly message: string;
  })[];
}

/** What is recorded under a key. */
export interface KeyRecord {
  readonly fingerprint: string;
  /** The request that executes the mutation, and when this was recorded (ISO 8601). */
  readonly requestId: string;
  readonly at: string;
  /** `begun`: its first write may have been sent. */
  readonly state: 'begun' | 'done';
  /** Null before it is done, and when it is too large. */
  readonly result: RecordedResult | null;
}

/** Whether something is a record, and not that of a program that records otherwise. */
export const isKeyRecord = (value: unknown): value is KeyRecord =>
  isObject(value) &&
  ['fingerprint', 'requestId', 'at', 'state'].every((name) => typeof value[name] === 'string') &&
  (value['result'] === null || isObject(value['result']));

/** Converts a result. Null for one that is larger, or that JSON cannot hold. @param limit Bytes of JSON. */
export function toRecorded(
  { errors, ...rest }: ExecutionResult,
  limit: number,
): { readonly result: RecordedResult | null; readonly size: number } {
  const result: RecordedResult = {
    ...rest,
    ...(errors !== undefined && {
      errors: errors.map(({ message, path, positions, extensions }) => ({
        ...{ message, path, positions, extensions },
      })),
    }),
  };
  try {
    const size = Buffer.byteLength(JSON.stringify(result));
    if (size <= limit) return { result, size };
  } catch {
    // The value of a user's resolver.
  }
  return { result: null, size: 0 };
}

/** Converts what is recorded to the result of the same document. */
export function fromRecorded({ errors, ...rest }: RecordedResult, { loc }: DocumentNode): ExecutionResult {
  if (errors === undefined) return rest;
  const source = loc?.source ?? null;
  return {
    errors: errors.map(({ message, ...places }) => new GraphQLError(message, { ...places, source })),
    ...rest,
  };
}
