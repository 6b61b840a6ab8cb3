// Converts the result of a mutation to what is recorded of it, and back.
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import * as z from 'zod';

/** A result as JSON. */
export const recordedResult = z.object({
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
export type RecordedResult = z.infer<typeof recordedResult>;

/** Converts a result. Null for a larger one. @param limit Bytes of JSON. */
export function toRecorded(
  { data, errors, extensions }: ExecutionResult,
  limit: number,
): RecordedResult | null {
  const recorded = {
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
  return Buffer.byteLength(JSON.stringify(recorded)) > limit ? null : recorded;
}

/** Converts what is recorded to the result of the same document. */
export function fromRecorded({ errors, ...rest }: RecordedResult, { loc }: DocumentNode): ExecutionResult {
  if (errors === undefined) return rest as ExecutionResult;
  const source = loc?.source ?? null;
  const toError = ({ message, ...places }: (typeof errors)[number]): GraphQLError =>
    new GraphQLError(message, { ...places, source });
  return { errors: errors.map(toError), ...rest } as ExecutionResult;
}
