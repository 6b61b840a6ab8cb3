// Checks an amount against the bounds of its cluster resource.
import type { Failure, Row, Value } from '../engine/definition.ts';
import { invalidInput } from './write-actions.ts';

/**
 * Checks an amount of a cluster resource and returns the failure of the named parameter where the amount cannot be allocated
 * (specification: Cluster resource). A valid amount is more than the minimum, at most the maximum and a multiple of the step.
 * A bound of null does not apply. An amount of 0 allocates nothing and is always valid.
 */
export function checkAmount(
  resource: Row | undefined,
  amount: unknown,
  parameter = 'value',
): Failure | undefined {
  const reason =
    resource && typeof amount === 'number' && amount !== 0 ? violatedBound(resource, amount) : null;
  return reason ? invalidInput('the amount cannot be allocated', { [parameter]: reason }) : undefined;
}

function violatedBound({ min = null, max = null, stepsize = null }: Row, amount: number): string | null {
  const least = isBound(min) ? Math.max(0, min) : 0;
  if (amount <= least) return `has to be more than ${least}`;
  if (isBound(max) && amount > max) return `has to be maximally ${max}`;
  return isBound(stepsize) && amount % stepsize !== 0 ? `has to be in steps of ${stepsize}` : null;
}

const isBound = (value: Value): value is number => typeof value === 'number';
