// Collects the errors of fields that have a value nevertheless.
import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';

const reported = new WeakMap<Operation, GraphQLError[]>();

/** Reports the error of a field that has a value nevertheless, such as a list without the rows that the API fails with. */
export function reportError(
  originalError: Error,
  operation: Operation,
  { fieldNodes, path }: GraphQLResolveInfo,
): void {
  const error = new GraphQLError(originalError.message, {
    nodes: fieldNodes,
    path: responsePathAsArray(path),
    originalError,
  });
  const errors = reported.get(operation);
  if (errors === undefined) reported.set(operation, [error]);
  else errors.push(error);
}

/** Returns the errors that an operation has reported since the last time. */
export function takeReportedErrors(operation: Operation): readonly GraphQLError[] {
  const errors = reported.get(operation) ?? [];
  reported.delete(operation);
  return errors;
}
