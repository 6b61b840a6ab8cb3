// Lets clients take turns when many requests arrive at once.

/** Connections that are accepted for each request that begins, as long as further connections arrive. */
const CONNECTIONS_FOR_REQUEST = 16;

/**
 * Lets requests wait for bursts of connections, and then begins one for each client network in turn. Since version 20, node accepts
 * only one connection in an iteration of the event loop: if a client opens hundreds, and each one's request begins at once, all of
 * them are executed before the connection of the next client is even accepted. So connections are accepted first.
 */
export class RequestTurns {
  /** Requests that wait, by client network, in the order of the turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;
  #hasAccepted = false;
  /** Connections accepted since the last request began. */
  #accepted = 0;

  /** Reports that the server has accepted a connection. */
  noteConnection(): void {
    this.#hasAccepted = true;
    this.#schedule();
  }

  /**
   * Begins a request: now, unless connections arrive or other requests wait.
   * @param networkOf Returns the network of the client.
   */
  take(networkOf: () => string, begin: () => void): void {
    if (!this.#isScheduled) {
      begin();
      return;
    }
    const network = networkOf();
    const queue = this.#waiting.get(network);
    if (queue === undefined) this.#waiting.set(network, [begin]);
    else queue.push(begin);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endIteration());
  }

  #endIteration(): void {
    this.#isScheduled = false;
    this.#accepted = this.#hasAccepted ? this.#accepted + 1 : CONNECTIONS_FOR_REQUEST;
    this.#hasAccepted = false;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#schedule();
    if (this.#accepted < CONNECTIONS_FOR_REQUEST) return;
    this.#accepted = 0;
    const [network, queue] = next;
    const begin = queue.shift();
    this.#waiting.delete(network);
    // Its next turn comes after those of all others.
    if (queue.length > 0) this.#waiting.set(network, queue);
    begin?.();
  }
}
