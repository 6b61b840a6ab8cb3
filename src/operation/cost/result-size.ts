// Measures results before they become JSON.

/** Characters that JSON needs beside a text or the name of a field: quotation marks, colon and comma. */
const PUNCTUATION = 4;

/**
 * Whether the JSON of a value is longer than the limit, in characters. Numbers and escapes are not counted. Stops at the limit, and
 * does not recurse. It runs for each result, so it takes a few hundredths of the time that the execution takes.
 */
export function exceedsSize(value: unknown, limit: number): boolean {
  const objects: object[] = [{ '': value }];
  let size = 0;
  const add = (item: unknown): void => {
    size += PUNCTUATION;
    if (typeof item === 'string') size += item.length;
    else if (typeof item === 'object' && item !== null) objects.push(item);
  };
  for (let next = objects.pop(); next !== undefined && size <= limit; next = objects.pop()) {
    if (Array.isArray(next)) for (const item of next) add(item);
    // Faster than `Object.entries` for the results of the executor, which have no prototype.
    else
      for (const name in next) {
        size += name.length;
        add((next as Record<string, unknown>)[name]);
      }
  }
  return size > limit;
}
