// The headers of a response that node sends.

/** What sets the headers of a response, of fetch or of node. */
export interface WritableHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/** Headers with names in lower case. Those of fetch check, copy and sort each header. */
export class PlainHeaders implements WritableHeaders {
  readonly #values = new Map<string, string>();

  get(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  append(name: string, value: string): void {
    const known = this.#values.get(name);
    this.#values.set(name, known === undefined ? value : `${known}, ${value}`);
  }

  /** Names and values in turn, as node takes them without a copy. */
  get list(): string[] {
    const list: string[] = [];
    for (const [name, value] of this.#values) list.push(name, value);
    return list;
  }
}
