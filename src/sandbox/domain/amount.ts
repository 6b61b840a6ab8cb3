import type { Failure, Row, Value } from '../engine/definition.ts';
import { invalid } from './write-actions.ts';

/**
 * Why an amount of a cluster resource, given as the named parameter, cannot be allocated; undefined when it can (spec: Cluster
 * resource). It is more than the minimum, not more than the maximum and a multiple of the step. A bound that is null does not
 * bind, and an amount of 0 allocates nothing.
 */
export function refusesAmount(
  resource: Row | undefined,
  amount: unknown,
  parameter = 'value',
): Failure | undefined {
  const reason = resource && typeof amount === 'number' && amount !== 0 ? reasonOf(resource, amount) : null;
  return reason ? invalid('the amount cannot be allocated', { [parameter]: reason }) : undefined;
}

function reasonOf({ min = null, max = null, stepsize = null }: Row, amount: number): string | null {
  const least = isBound(min) ? Math.max(0, min) : 0;
  if (amount <= least) return `has to be more than ${least}`;
  if (isBound(max) && amount > max) return `has to be maximally ${max}`;
  return isBound(stepsize) && amount % stepsize !== 0 ? `has to be in steps of ${stepsize}` : null;
}

const isBound = (value: Value): value is number => typeof value === 'number';
