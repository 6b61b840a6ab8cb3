// Follows running actions by a stock client of graphql-ws, and checks the order of their states.
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';

const PROGRESS = 'subscription ($id: ID!) { actionProgress(id: $id, minInterval: 0.1) { current outcome } }';
/** The connection stays open while the client turns to another action. Milliseconds. */
const IDLE_TIME = 5_000;

/** What a client has seen of an action. */
export interface SeenAction {
  readonly states: number;
  /** States that were older than the one before, or not final after the final one. */
  readonly wentBack: number;
  readonly hasEnded: boolean;
}

/** Who subscribes, and where. */
export interface ProgressClientOptions {
  /** The GraphQL endpoint of the next connection, with the scheme `ws`. */
  readonly url: () => string;
  /** The credential. */
  readonly connectionParams: Record<string, string>;
  /** Called with `current` of each state. */
  readonly onState?: (current: number, isFinal: boolean) => void;
}

/** A client with the library's own way to connect again: five attempts, the first one after 1.3 to 4 seconds, each later than the last. */
export class ProgressClient {
  readonly #client: Client;
  readonly #onState: ProgressClientOptions['onState'];
  /** How often it has connected. */
  connections = 0;

  constructor({ url, connectionParams, onState }: ProgressClientOptions) {
    this.#onState = onState;
    this.#client = createClient({
      url,
      connectionParams,
      webSocketImpl: WebSocket,
      lazyCloseTimeout: IDLE_TIME,
      // By itself, the library gives up when a connection cannot be opened.
      shouldRetry: () => true,
      on: { connected: () => (this.connections += 1) },
    });
  }

  /** Follows an action until the server ends the stream. @throws Error when the stream has errors, or the last attempt to connect fails. */
  async follow(id: number): Promise<SeenAction> {
    let [states, wentBack, last, hasEnded] = [0, 0, Number.NEGATIVE_INFINITY, false];
    for await (const { data, errors } of this.#client.iterate({
      query: PROGRESS,
      variables: { id: String(id) },
    })) {
      if (!data) throw new Error(`action ${id} was answered ${JSON.stringify(errors)}`);
      const { current, outcome } = data['actionProgress'] as { current: number; outcome: string };
      states += 1;
      const isFinal = outcome !== 'RUNNING';
      // A connection that is lost after the final state, and before the end of the stream, brings that state again.
      if (current < last || (hasEnded && !isFinal)) wentBack += 1;
      last = current;
      hasEnded ||= isFinal;
      this.#onState?.(current, hasEnded);
    }
    return { states, wentBack, hasEnded };
  }

  async close(): Promise<void> {
    await this.#client.dispose();
  }
}
