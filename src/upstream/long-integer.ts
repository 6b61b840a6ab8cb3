// Defines the integers that a JavaScript number cannot hold.

/** An integer beyond 2^53−1 of a response or an input, with all its digits. As an id or a key in JSON, it is the text of its digits. */
export class LongInteger {
  /** Decimal digits, with `-` before them for a negative integer. */
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): string {
    return this.digits;
  }
}

/** Returns an integer as a number if that holds it exactly. @param digits Decimal digits, with `-` before them for a negative integer. */
export function exactInteger(digits: string): number | LongInteger {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : new LongInteger(digits);
}
