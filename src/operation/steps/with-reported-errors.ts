// Adds the errors of fields that have a value nevertheless to results.
import type { ExecutionResult } from 'graphql';
import { takeReportedErrors } from '../../schema/resolve/field-errors.ts';
import type { OperationContext } from '../context.ts';
import { type ExecutionStep, mapResults } from './execution-step.ts';

/** Adds the errors that fields have reported to the result, or to the next part of it. */
export const withReportedErrors = (): ExecutionStep => (execute) => (args) => {
  const { operation } = args.contextValue as OperationContext;
  const addErrors = (result: ExecutionResult): ExecutionResult => {
    const reported = takeReportedErrors(operation);
    return reported.length === 0 ? result : { ...result, errors: [...(result.errors ?? []), ...reported] };
  };
  return mapResults(execute(args), addErrors);
};
