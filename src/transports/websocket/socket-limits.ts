// Limits what one WebSocket may send and leave unread.
import type { Duplex } from 'node:stream';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { TransportLimits } from '../../operation/limits.ts';

/** Close codes of RFC 6455, section 7.4.1. Stock clients connect again after the first. */
const GOING_AWAY = 1001;
const MESSAGE_TOO_BIG = 1009;

/** The limits of one WebSocket. */
export class SocketLimits {
  readonly #socket: WebSocket;
  readonly #limits: TransportLimits;
  #isAccepted = false;
  /** Ends the time for the ConnectionInit message. */
  #initTimer: NodeJS.Timeout;
  /** Why the WebSocket is not read: its client leaves too much unread, or a message waits for its turn. */
  readonly #pauses = { unread: false, waiting: false };
  /** Settles when the last large result is sent. */
  #lastResult: Promise<void> = Promise.resolve();
  /** Called when the client has read what was sent, or has left. */
  #onRead: () => void = () => undefined;

  /**
   * Begins to limit a WebSocket: it is closed when it sends too much before its ConnectionInit message is accepted, or sends that too
   * late, or is too old. It is not read while its client leaves too much unread.
   * @param stream The connection under the WebSocket.
   */
  constructor(socket: WebSocket, stream: Duplex, limits: TransportLimits) {
    this.#socket = socket;
    this.#limits = limits;
    let received = 0;
    // Before the listener of ws, which handles the messages in the chunk.
    stream.prependListener('data', (chunk: Buffer) => {
      if (this.#isAccepted) return;
      received += chunk.length;
      if (received > limits.initSize)
        socket.close(MESSAGE_TOO_BIG, `Send at most ${limits.initSize} bytes before connection_ack`);
    });
    const pauseIfUnread = (): void => {
      this.#setPause('unread', this.#isUnread);
    };
    socket.on('message', pauseIfUnread).on('ping', pauseIfUnread);
    stream.on('drain', () => {
      this.#setPause('unread', false);
      this.#onRead();
    });
    this.#initTimer = this.#limitInit();
    const end = setTimeout(
      () => socket.close(GOING_AWAY, 'This connection has reached its lifetime; connect again'),
      limits.lifetime,
    ).unref();
    socket.on('close', () => {
      clearTimeout(end);
      clearTimeout(this.#initTimer);
      this.#onRead();
    });
  }

  /** Reports that the ConnectionInit message has been accepted. */
  accept(): void {
    this.#isAccepted = true;
    clearTimeout(this.#initTimer);
  }

  /** A client whose message waits for its turn has not been late. */
  #limitInit(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#pauses.waiting) this.#initTimer = this.#limitInit();
      else this.#socket.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout');
    }, this.#limits.initTimeout);
  }

  /** Writes a large result when those before are sent and read, so that there is never more than one of them unread. */
  async writeInOrder<R>(write: () => Promise<R>): Promise<R> {
    const before = this.#lastResult;
    let end: () => void = () => undefined;
    this.#lastResult = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    while (this.#isUnread && this.#socket.readyState === this.#socket.OPEN)
      await new Promise<void>((read) => {
        this.#onRead = read;
      });
    try {
      return await write();
    } finally {
      // It is sent before.
      setImmediate(end);
    }
  }

  get #isUnread(): boolean {
    return this.#socket.bufferedAmount > this.#limits.unreadBytes;
  }

  /** Reads nothing more while a message waits for its turn. */
  set isWaiting(isWaiting: boolean) {
    this.#setPause('waiting', isWaiting);
  }

  #setPause(reason: 'unread' | 'waiting', isSet: boolean): void {
    const pauses = this.#pauses;
    if (pauses[reason] === isSet) return;
    pauses[reason] = isSet;
    if (pauses.unread || pauses.waiting) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Closes the WebSocket when the payload of a Ping or Pong message is too large. Pings are answered with their payload. */
  checkPing(payload: Readonly<Record<string, unknown>> | undefined): void {
    const { pingSize } = this.#limits;
    if (payload !== undefined && JSON.stringify(payload).length > pingSize)
      this.#socket.close(
        CloseCode.BadRequest,
        `Payloads of pings and pongs have at most ${pingSize} characters`,
      );
  }

  /** Closes the WebSocket, and returns false, when the id of an operation is too long. Each of its results repeats the id. */
  acceptsId(id: string): boolean {
    const { idSize } = this.#limits;
    if (Buffer.byteLength(id) <= idSize) return true;
    this.#socket.close(CloseCode.BadRequest, `Ids of operations have at most ${idSize} bytes`);
    return false;
  }
}
