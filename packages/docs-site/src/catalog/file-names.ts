// Names the pages of resources, whose names other servers choose.

/** Longest name without the suffix, because file systems have limits. */
const MAX_LENGTH = 80;

/** Finds a name for each page: lower-case letters, digits and dashes, and each only once also where upper and lower case are the same. */
export class FileNames {
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string>();

  /** Returns a name such as `resource-shelf-book.html`, or `resource-shelf-book-2.html` if another resource has it. */
  nameFor(path: readonly string[]): string {
    const words = path
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-');
    const plain = `resource-${words.replaceAll(/^-|-$/g, '').slice(0, MAX_LENGTH)}`;
    let name = plain;
    while (this.#taken.has(name)) {
      const count = (this.#counts.get(plain) ?? 1) + 1;
      this.#counts.set(plain, count);
      name = `${plain}-${count}`;
    }
    this.#taken.add(name);
    return `${name}.html`;
  }
}
