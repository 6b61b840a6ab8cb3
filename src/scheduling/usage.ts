// Counts the calls that are in progress or wait, and lines up who is next.

/** The calls of all, of one network, or of one client. */
export class Usage {
  active = 0;
  waiting = 0;
  /** How often a call has begun or ended. */
  moves = 0;
  /** The number of moves after which a call has waited in vain for another one; -1: none has. */
  stuckAt = -1;

  get isStuck(): boolean {
    return this.moves === this.stuckAt;
  }
}

/** The calls of one network. */
export class NetworkUsage extends Usage {
  readonly name: string;
  readonly clients = new Map<string, ClientUsage>();
  readonly line = new Line<ClientUsage>();

  constructor(name: string) {
    super();
    this.name = name;
  }
}

/** The calls of one client. */
export class ClientUsage extends Usage {
  readonly key: string;
  readonly network: NetworkUsage;
  /** Functions that start the calls that wait for their turn, in order. */
  readonly calls = new Set<() => void>();

  constructor(key: string, network: NetworkUsage) {
    super();
    this.key = key;
    this.network = network;
  }
}

/** Networks or clients with waiting calls: those with fewest in progress first, and of these who has waited longest. */
export class Line<U extends Usage> {
  readonly #byActive: (Set<U> | undefined)[] = [];
  readonly #places = new Map<U, Set<U>>();

  /** Gives a usage that has changed its place. It keeps its place as long as it has as much in progress. */
  settle(usage: U): void {
    const old = this.#places.get(usage);
    const place = usage.waiting === 0 ? undefined : this.#placeFor(usage.active);
    if (place === old) return;
    old?.delete(usage);
    place?.add(usage);
    if (place === undefined) this.#places.delete(usage);
    else this.#places.set(usage, place);
  }

  *[Symbol.iterator](): Generator<U> {
    for (const place of this.#byActive) if (place !== undefined) yield* place;
  }

  #placeFor(active: number): Set<U> {
    const place = this.#byActive[active] ?? new Set();
    this.#byActive[active] = place;
    return place;
  }
}
