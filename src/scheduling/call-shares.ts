// Counts the calls that are in progress or wait, and lines up who is next.

/** The calls of all, of one network, or of one client. */
export class Calls {
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
export class NetworkCalls extends Calls {
  readonly name: string;
  readonly clients = new Map<string, ClientCalls>();
  readonly line = new Line<ClientCalls>();

  constructor(name: string) {
    super();
    this.name = name;
  }
}

/** The calls of one client. */
export class ClientCalls extends Calls {
  readonly key: string;
  readonly network: NetworkCalls;
  /** Functions that start the calls that wait for their turn, in order. */
  readonly starts = new Set<() => void>();

  constructor(key: string, network: NetworkCalls) {
    super();
    this.key = key;
    this.network = network;
  }
}

/** Networks or clients with waiting calls: those with fewest in progress first, and of these who has waited longest. */
export class Line<U extends Calls> {
  readonly #byActive: (Set<U> | undefined)[] = [];
  readonly #places = new Map<U, Set<U>>();

  /** Puts a share into its new place. It keeps its place while as much of it is in progress. */
  settle(share: U): void {
    const old = this.#places.get(share);
    const place = share.waiting === 0 ? undefined : this.#placeFor(share.active);
    if (place === old) return;
    old?.delete(share);
    place?.add(share);
    if (place === undefined) this.#places.delete(share);
    else this.#places.set(share, place);
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
