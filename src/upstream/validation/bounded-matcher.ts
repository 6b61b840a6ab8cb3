// Matches the regular expressions of one operation within a number of steps.
import { Match, type Part } from './regexp-parts.ts';

/** Maximum number of steps of one match: about 50 ms. */
const MATCH_STEPS = 500_000;

/** Maximum number of steps of all matches of one operation: about 200 ms. */
const OPERATION_STEPS = 2_000_000;

/** Matches texts with regular expressions for one operation. */
export class BoundedMatcher {
  #stepsLeft = OPERATION_STEPS;

  /** Whether an expression matches anywhere in a text. Null when that takes too many steps for the match or for the operation. */
  matches(expression: Part, text: string): boolean | null {
    const steps = Math.min(MATCH_STEPS, this.#stepsLeft);
    if (text.length >= steps) return null;
    const match = new Match([...text], steps);
    try {
      return match.apply(expression, new Set([...match.characters.keys(), match.characters.length])).size > 0;
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    } finally {
      this.#stepsLeft -= steps - match.stepsLeft;
    }
  }
}
