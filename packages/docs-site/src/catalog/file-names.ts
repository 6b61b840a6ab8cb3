// Names the pages of resources, whose names other servers choose.

/** Longest name without the suffix, because file systems have limits. */
const MAX_LENGTH = 80;

/**
 * Names a page: `resource-shelf-book.html`, or `resource-shelf-book-2.html` if another resource has this name. It has lower-case letters,
 * digits and dashes only, because some file systems do not distinguish more.
 * @param taken The names of other pages, with the last number that each was given. It gets the new one.
 */
export function nameFile(path: readonly string[], taken: Map<string, number>): string {
  const words =
    path
      .join(' ')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const plain = `resource-${words.join('-').slice(0, MAX_LENGTH)}`;
  let number = taken.get(plain) ?? 0;
  let name: string;
  do {
    number += 1;
    name = number === 1 ? plain : `${plain}-${number}`;
  } while (taken.has(name));
  taken.set(name, 1).set(plain, number);
  return `${name}.html`;
}
