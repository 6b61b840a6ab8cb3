// Converts the result of a mutation to what is recorded of it, and back.
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import * as z from 'zod';

/** A result as JSON. */
const recordedResult = z.object({
  data: z.record(z.string(), z.unknown()).nullable().optional(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).nullable(),
        positions: z.array(z.number()).nullable(),
        extensions: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
type RecordedResult = z.infer<typeof recordedResult>;

/** What is recorded under a key. */
export const keyRecord = z.object({
  fingerprint: z.string(),
  /** The request that executes the mutation, and when this was recorded (ISO 8601). */
  requestId: z.string(),
  at: z.string(),
  /** `begun`: its first write may have been sent. */
  state: z.enum(['begun', 'done']),
  /** Null before it is done, and when it is too large. */
  result: recordedResult.nullable(),
});
export type KeyRecord = z.infer<typeof keyRecord>;

/** Converts a result. Null for a larger one. @param limit Bytes of JSON. */
export function toRecorded(
  { data, errors, extensions }: ExecutionResult,
  limit: number,
): { readonly result: RecordedResult | null; readonly size: number } {
  const result = {
    ...(data !== undefined && { data }),
    ...(errors !== undefined && {
      errors: errors.map(({ message, path, positions, extensions: ofError }) => ({
        message,
        path: path ? [...path] : null,
        positions: positions ? [...positions] : null,
        extensions: ofError,
      })),
    }),
    ...(extensions !== undefined && { extensions }),
  };
  const size = sizeOf(result);
  return size <= limit ? { result, size } : { result: null, size: 0 };
}

/** Bytes of the JSON of a result. Infinite for one that JSON cannot hold, such as the value of a user's resolver. */
function sizeOf(result: RecordedResult): number {
  try {
    return Buffer.byteLength(JSON.stringify(result));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Converts what is recorded to the result of the same document. */
export function fromRecorded({ errors, ...rest }: RecordedResult, { loc }: DocumentNode): ExecutionResult {
  if (errors === undefined) return rest as ExecutionResult;
  const source = loc?.source ?? null;
  const toError = ({ message, ...places }: (typeof errors)[number]): GraphQLError =>
    new GraphQLError(message, { ...places, source });
  return { errors: errors.map(toError), ...rest } as ExecutionResult;
}
