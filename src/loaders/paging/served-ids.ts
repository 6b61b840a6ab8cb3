// Defines the set of ids that a walk has served, and its short form in cursors.
import type { Direction } from './row-order.ts';

/** Marks a text whose first bound is negative. */
const NEGATIVE = '~';

/** The ids of rows that a walk has served, as ranges of whole numbers. A set is never changed. */
export class ServedIds {
  /** The set without ids. */
  static readonly none = new ServedIds([]);
  /** The first and the last id of each range, in ascending order. Ranges neither overlap nor touch. */
  readonly #bounds: readonly number[];

  private constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** The highest id; null for an empty set. */
  get highest(): number | null {
    return this.#bounds.at(-1) ?? null;
  }

  has(id: number): boolean {
    const after = this.#firstAfter(id);
    // An odd index is the end of a range that begins at or before the id.
    return after % 2 === 1 || (after > 0 && this.#bounds[after - 1] === id);
  }

  /** Returns the set with further ids. */
  with(ids: readonly number[]): ServedIds {
    const added = ids.filter((id) => !this.has(id)).sort((a, b) => a - b);
    if (added.length === 0) return this;
    const bounds: number[] = [];
    let next = 0;
    const append = (from: number, to: number): void => {
      const last = bounds.at(-1);
      if (last !== undefined && from <= last + 1) bounds[bounds.length - 1] = Math.max(last, to);
      else bounds.push(from, to);
    };
    for (let index = 0; index < this.#bounds.length; index += 2) {
      const from = this.#bounds[index] ?? 0;
      for (; next < added.length && (added[next] ?? 0) < from; next++)
        append(added[next] ?? 0, added[next] ?? 0);
      append(from, this.#bounds[index + 1] ?? from);
    }
    for (; next < added.length; next++) append(added[next] ?? 0, added[next] ?? 0);
    return new ServedIds(bounds);
  }

  /** The id of the set from which on there are `count` ids in a direction; null where the set has fewer. */
  furthest(count: number, direction: Direction): number | null {
    let left = count;
    const isUp = direction === 'ascending';
    for (let range = 0; range < this.#bounds.length; range += 2) {
      const index = isUp ? this.#bounds.length - 2 - range : range;
      const from = this.#bounds[index] ?? 0;
      const to = this.#bounds[index + 1] ?? from;
      const length = to - from + 1;
      if (length >= left) return isUp ? to - left + 1 : from + left - 1;
      left -= length;
    }
    return null;
  }

  /**
   * Returns the set with at most this number of ranges: the gaps between those that were served first are filled, so that ids in them count
   * as served.
   * @param direction In which ids were served.
   */
  withAtMost(ranges: number, direction: Direction): ServedIds {
    const surplus = this.#bounds.length - ranges * 2;
    if (surplus <= 0) return this;
    const bounds = [...this.#bounds];
    bounds.splice(direction === 'ascending' ? 1 : bounds.length - 1 - surplus, surplus);
    return new ServedIds(bounds);
  }

  /** Writes the first bound and the differences between the bounds, each as a number of 7 bits a byte. */
  toText(): string {
    const [first = 0] = this.#bounds;
    const bytes: number[] = [];
    for (const [index, bound] of this.#bounds.entries()) {
      let rest = Math.abs(bound - (this.#bounds[index - 1] ?? 0));
      for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
      bytes.push(rest);
    }
    return `${first < 0 ? NEGATIVE : ''}${Buffer.from(bytes).toString('base64url')}`;
  }

  /** Reads what `toText` has written; null if it is something else. */
  static parse(text: string): ServedIds | null {
    const isNegative = text.startsWith(NEGATIVE);
    const bounds: number[] = [];
    let value = 0;
    let unit = 1;
    for (const byte of Buffer.from(isNegative ? text.slice(1) : text, 'base64url')) {
      value += (byte % 128) * unit;
      unit *= 128;
      if (byte >= 128) continue;
      const before = bounds.at(-1);
      const bound = before === undefined ? (isNegative ? -value : value) : before + value;
      const isApart = before === undefined || value > 1 || bounds.length % 2 === 1;
      if (!Number.isSafeInteger(bound) || !isApart) return null;
      bounds.push(bound);
      [value, unit] = [0, 1];
    }
    return unit === 1 && bounds.length % 2 === 0 ? new ServedIds(bounds) : null;
  }

  /** Index of the first bound that is above an id. */
  #firstAfter(id: number): number {
    let [low, high] = [0, this.#bounds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bounds[middle] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
