// Defines the WebSockets of the server.
import { WebSocket } from 'ws';

/** A WebSocket that remembers with which code the server has closed it. A client that breaks the protocol often does not repeat the code. */
export class ServedSocket extends WebSocket {
  /** Null until the server has begun to close it, or has repeated the code of the client. */
  #code: number | null = null;

  override close(code?: number, reason?: string | Buffer): void {
    this.#code ??= code ?? null;
    super.close(code, reason);
  }

  /** Calls a function when it has closed. @param onEnd Gets the code of the server, else that of the client, else 1005 or 1006. */
  onceClosed(onEnd: (code: number) => void): void {
    this.once('close', (code) => onEnd(this.#code ?? code));
  }
}
