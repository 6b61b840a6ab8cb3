// A client with any number of live queries over one WebSocket.
import WebSocket from 'ws';
import { TOKEN_HEADER } from '../stub/description.ts';

/** Sends live queries. */
export class LiveSocket {
  /** Results after the first of each query. */
  events = 0;
  /** Called with the id of a query and the data of each of its results. */
  onResult: (id: string, data: unknown) => void = () => {};
  /** Called when the server closes the connection. */
  onLost: () => void = () => {};
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.removeAllListeners('close');
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The connection was lost.'));
      this.onLost();
    });
  }

  /** Connects with a token. Rejects when that fails. */
  static open(url: string, token: string): Promise<LiveSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
        perMessageDeflate: false,
      });
      socket.once('open', () =>
        socket.send(JSON.stringify({ type: 'connection_init', payload: { [TOKEN_HEADER]: token } })),
      );
      socket.once('message', () => resolve(new LiveSocket(socket)));
      socket.once('close', (code) => reject(new Error(`closed with ${code} before it was open`)));
      socket.on('error', reject);
    });
  }

  /** Sends an operation. Resolves with its first result. */
  send(id: string, query: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
    });
  }

  close(): void {
    this.#socket.removeAllListeners('message').removeAllListeners('close');
    this.#socket.terminate();
  }

  #receive(message: {
    readonly id?: string;
    readonly type: string;
    readonly payload?: { data?: unknown; errors?: unknown };
  }): void {
    const { id = '', type, payload } = message;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (type === 'ping') this.#socket.send(JSON.stringify({ type: 'pong' }));
    else if (type === 'error' || payload?.errors !== undefined) {
      const error = new Error(`was answered ${JSON.stringify(payload).slice(0, 300)}`);
      if (waiting === undefined) throw error;
      waiting.reject(error);
    } else if (type === 'next') {
      if (waiting === undefined) this.events += 1;
      this.onResult(id, payload?.data);
      waiting?.resolve();
    }
  }
}
