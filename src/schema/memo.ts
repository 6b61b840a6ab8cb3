// Remembers what a function has returned.

/**
 * Makes a function that computes the value of each key once.
 * @param compute Its further arguments must follow from the key.
 */
export function memo<Key, Value extends object | null, Others extends readonly unknown[]>(
  compute: (key: Key, ...others: Others) => Value,
): (key: Key, ...others: Others) => Value {
  const known = new Map<Key, Value>();
  return (key, ...others) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key, ...others);
      known.set(key, value);
    }
    return value;
  };
}
