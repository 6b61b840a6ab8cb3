// Remembers what a function has returned, and groups items.

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

/** Groups items by their keys. Keys and items keep their order. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
