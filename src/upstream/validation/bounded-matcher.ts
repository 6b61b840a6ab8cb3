// Matches the regular expressions of one operation within a number of steps.
import { Match, type Part } from './regexp-parts.ts';

/** Most steps of one match. They take up to 100 ms. */
const MATCH_STEPS = 200_000;

/** Most steps of all matches of one operation. They take up to 300 ms. */
const OPERATION_STEPS = 600_000;

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
