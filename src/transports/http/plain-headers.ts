// The headers of a response that node sends.

/** What sets the headers of a response, of fetch or of node. */
export interface WritableHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/** Headers with names in lower case, of which a response has a dozen. Those of fetch check, copy and sort each header. */
export class PlainHeaders implements WritableHeaders {
  /** Names and values in turn, as node takes them without a copy. */
  readonly list: string[] = [];

  get(name: string): string | null {
    const index = this.#indexOf(name);
    return index === -1 ? null : (this.list[index + 1] ?? null);
  }

  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  set(name: string, value: string): void {
    const index = this.#indexOf(name);
    if (index === -1) this.list.push(name, value);
    else this.list[index + 1] = value;
  }

  append(name: string, value: string): void {
    const index = this.#indexOf(name);
    if (index === -1) this.list.push(name, value);
    else this.list[index + 1] += `, ${value}`;
  }

  #indexOf(name: string): number {
    for (let index = 0; index < this.list.length; index += 2) if (this.list[index] === name) return index;
    return -1;
  }
}
