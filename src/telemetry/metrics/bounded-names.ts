// Bounds the values of a label that others choose.

/** The first names up to a maximum. */
export class BoundedNames {
  readonly #names = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * The value of the label: the name if it is known, else `other`.
   * @param mayAdd Whether an unknown name becomes known, while there are fewer than the maximum.
   */
  labelOf(name: string, mayAdd = true): string {
    if (this.#names.has(name)) return name;
    if (!mayAdd || this.#names.size >= this.#max) return 'other';
    this.#names.add(name);
    return name;
  }
}
