// Matches texts with regular expressions, whose parts are functions that follow all possible matches at once.

/** Places in a text, counted in characters from 0. */
type Places = ReadonlySet<number>;

/** Finds all places at which a part may end that begins at one of the given places. */
export type Part = (begins: Places, match: Match) => Places;

/** One match of an expression with a text. */
class Match {
  readonly characters: readonly string[];
  /** Number of steps that this match may still take. */
  stepsLeft: number;

  constructor(characters: readonly string[], steps: number) {
    this.characters = characters;
    this.stepsLeft = steps;
  }

  /** Applies a part, one step for each place. @throws RangeError when no steps are left. */
  apply(part: Part, begins: Places): Places {
    if (begins.size === 0) return begins;
    this.stepsLeft -= begins.size;
    if (this.stepsLeft < 0) throw new RangeError('The match takes too many steps.');
    return part(begins, this);
  }
}

/** One character. */
export const character =
  (accepts: (character: string) => boolean): Part =>
  (begins, { characters }) => {
    const ends = new Set<number>();
    for (const place of begins) {
      if (place < characters.length && accepts(characters[place] ?? '')) ends.add(place + 1);
    }
    return ends;
  };

/** A condition on the characters around a place; each is undefined beyond the text's ends. */
export const neighbors =
  (holds: (before?: string, after?: string, next?: string) => boolean): Part =>
  (begins, { characters: all }) =>
    new Set([...begins].filter((place) => holds(all[place - 1], all[place], all[place + 1])));

/** A condition on what follows a place: that a part matches there, or that it does not. */
export const lookAhead =
  (part: Part, matches: boolean): Part =>
  (begins, match) =>
    new Set([...begins].filter((place) => match.apply(part, new Set([place])).size > 0 === matches));

export const sequence =
  (parts: readonly Part[]): Part =>
  (begins, match) =>
    parts.reduce((places, part) => match.apply(part, places), begins);

export const alternatives =
  (parts: readonly Part[]): Part =>
  (begins, match) =>
    new Set(parts.flatMap((part) => [...match.apply(part, begins)]));

/** A part from `min` to `max` times. A place that was reached by fewer repetitions is not tried again. */
export const repetition =
  (part: Part, min: number, max: number): Part =>
  (begins, match) => {
    let places = begins;
    for (let count = 0; count < min && places.size > 0; count++) places = match.apply(part, places);
    const ends = new Set(places);
    for (let count = min; count < max && places.size > 0; count++) {
      places = new Set([...match.apply(part, places)].filter((place) => !ends.has(place)));
      for (const place of places) ends.add(place);
    }
    return ends;
  };

/** Maximum number of steps of one match: about 50 ms. */
const MATCH_STEPS = 500_000;

/** Steps that the matches of one operation may still take together. */
export interface MatchBudget {
  stepsLeft: number;
}

/** The steps of all matches of one operation: about 200 ms. */
export const OPERATION_STEPS = 2_000_000;

/**
 * Whether an expression matches anywhere in a text. Null when that takes too many steps for one match or for the operation.
 * @param budget The steps are taken from it.
 */
export function matchesWithin(expression: Part, text: string, budget: MatchBudget): boolean | null {
  const steps = Math.min(MATCH_STEPS, budget.stepsLeft);
  if (text.length >= steps) return null;
  const match = new Match([...text], steps);
  try {
    return match.apply(expression, new Set([...match.characters.keys(), match.characters.length])).size > 0;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    budget.stepsLeft -= steps - match.stepsLeft;
  }
}
