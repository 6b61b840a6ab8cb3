// Keeps the estimated costs of a document.
import type { CostEstimate } from './estimate-cost.ts';
import type { SentVariables } from './estimated-inputs.ts';

/** Estimates of one operation, each for other values of variables. Most clients send one or two lengths of pages. */
const MAX_ESTIMATES = 8;

/** The costs of a document's operations, by the values of the variables on which they depend. */
export class KnownCosts {
  /** By name; null for a document's only operation. The latest are at the end. */
  readonly #estimates = new Map<string | null, CostEstimate[]>();

  /** The cost of an operation with variables; undefined when it has to be estimated. */
  find(name: string | null, sent: SentVariables): number | undefined {
    return this.#estimates.get(name)?.findLast(({ variables }) => haveValues(variables, sent))?.cost;
  }

  add(name: string | null, estimate: CostEstimate): void {
    // What clients send as objects or texts can be large, and is rarely the same.
    for (const value of estimate.variables.values())
      if (value !== null && (typeof value === 'object' || typeof value === 'string')) return;
    const estimates = this.#estimates.get(name) ?? [];
    if (estimates.length === MAX_ESTIMATES) estimates.shift();
    estimates.push(estimate);
    this.#estimates.set(name, estimates);
  }
}

function haveValues(variables: CostEstimate['variables'], sent: SentVariables): boolean {
  for (const [name, value] of variables) if (sent[name] !== value) return false;
  return true;
}
