// Handles the messages of a WebSocket, each in its client's turn.

/** How the messages of a WebSocket take turns. */
export interface MessageTurns {
  /** Waits for the turn of the client. Undefined when it is now. */
  takeTurn(): Promise<void> | undefined;
  /** Called when a message begins to wait, and when none waits any more. The WebSocket is not read in between. */
  setWaiting(isWaiting: boolean): void;
  /** Called with each message before it is handled. */
  onTurn(message: string): void;
}

/**
 * The messages of one WebSocket. While one waits, the others wait behind it, so that they are handled in their order. They are few: the
 * WebSocket is not read meanwhile, so only what it has read at once can follow.
 */
export class SocketMessages {
  readonly #turns: MessageTurns;
  readonly #handle: (message: string) => void;
  readonly #waiting: string[] = [];
  #isWaiting = false;

  constructor(turns: MessageTurns, handle: (message: string) => void) {
    this.#turns = turns;
    this.#handle = handle;
  }

  /** Handles a message in its turn. */
  receive(message: string): void {
    this.#waiting.push(message);
    if (!this.#isWaiting) this.#handleAll();
  }

  /** Forgets what waits. */
  close(): void {
    this.#waiting.length = 0;
  }

  #handleAll(): void {
    while (this.#waiting.length > 0) {
      const turn = this.#turns.takeTurn();
      if (turn !== undefined) {
        this.#isWaiting = true;
        this.#turns.setWaiting(true);
        void turn.then(() => {
          this.#isWaiting = false;
          this.#handleFirst();
          this.#handleAll();
        });
        return;
      }
      this.#handleFirst();
    }
    this.#turns.setWaiting(false);
  }

  #handleFirst(): void {
    const message = this.#waiting.shift();
    // The WebSocket has closed.
    if (message === undefined) return;
    this.#turns.onTurn(message);
    this.#handle(message);
  }
}
