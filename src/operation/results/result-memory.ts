// Takes memory for a large result while it is written, and until it is sent.
import type { Abortable } from '../../upstream/abortable.ts';
import { type AnswerRoom, waitForRoom } from '../../upstream/http/answer-room.ts';

/** Milliseconds for which a result that is being written waits for memory. */
const MAX_WAIT = 10_000;
/** Bytes of an answer, with what is parsed of it, that take as much memory as one byte of a result. */
const ANSWER_BYTES = 0.5;

/** The memory of one result: a part of that for the answers of the management API. */
export class ResultMemory {
  readonly #room: AnswerRoom | null;
  readonly #leaving: Abortable | undefined;

  /**
   * @param room Closed with this memory. Null: nothing bounds it.
   * @param leaving Aborts when the client leaves.
   */
  constructor(room: AnswerRoom | null, leaving: Abortable | undefined) {
    this.#room = room;
    this.#leaving = leaving;
  }

  /**
   * Takes memory for further bytes. Undefined: it is taken.
   * @throws AnswerMemoryError when there is none. The promise rejects with it after the longest wait, and when the client leaves with the
   *   reason.
   */
  take(bytes: number): Promise<void> | undefined {
    const room = this.#room;
    if (room === null) return undefined;
    return waitForRoom(room, Math.ceil(ANSWER_BYTES * bytes), this.#leaving, MAX_WAIT);
  }

  /** Gives all of it back. */
  release(): void {
    this.#room?.close();
  }
}
