// Measures results before they become JSON.

/** Characters that JSON needs besides a text or a name: quotation marks, colon and comma. */
const PUNCTUATION = 4;

/** Whether the JSON of a value has more characters than the limit. Escapes are not counted. Stops at the limit, and does not recurse. */
export function exceedsSize(value: unknown, limit: number): boolean {
  const rest: unknown[] = [value];
  let size = 0;
  while (rest.length > 0 && size <= limit) {
    const next = rest.pop();
    size += PUNCTUATION;
    if (typeof next === 'string') size += next.length;
    else if (Array.isArray(next)) for (const item of next) rest.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [name, item] of Object.entries(next)) {
        size += name.length;
        rest.push(item);
      }
  }
  return size > limit;
}
