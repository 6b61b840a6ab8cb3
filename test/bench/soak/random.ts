// Random choices of the soak.

/** A whole number from `least` to `most`. */
export const randomInt = (least: number, most: number): number =>
  least + Math.floor(Math.random() * (most - least + 1));

export const chance = (share: number): boolean => Math.random() < share;

/** One of the values. @throws Error without values. */
export function pick<Value>(values: readonly Value[]): Value {
  const value = values[randomInt(0, values.length - 1)];
  if (value === undefined) throw new Error('expected values to pick from');
  return value;
}
