// Executes operations without pauses.
import type { ExecutionControl } from '../../src/operation/execution/pauses.ts';
import { PlannedExecution } from '../../src/operation/execution/planned-execution.ts';

/** Lets an execution run without a pause. */
export const UNCONTROLLED: ExecutionControl = {
  abandoned: undefined,
  pause: () => undefined,
  hold: () => undefined,
  resume: () => undefined,
};

export const createExecution = (): PlannedExecution => new PlannedExecution(() => UNCONTROLLED);
