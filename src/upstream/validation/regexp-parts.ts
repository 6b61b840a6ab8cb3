// Builds the parts of a regular expression as functions that follow all possible matches at once.

/** Places in a text, counted in characters from 0. */
type Places = ReadonlySet<number>;

/** Finds all places at which a part may end that begins at one of the given places. */
export type Part = (begins: Places, match: Match) => Places;

/** One match of an expression with a text. */
export class Match {
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
