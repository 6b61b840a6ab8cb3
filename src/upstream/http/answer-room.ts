// Defines where the answers of one operation are held in memory.
import { type Abortable, untilAborted } from '../abortable.ts';
import { AnswerMemoryError } from '../errors.ts';

/** Reads an answer, and can wait before it reads on. */
export interface AnswerReader {
  /** Called when there is room for what it has asked for. */
  goOn(): void;
  /** Called instead when there will be none. */
  end(error: Error): void;
}

/** The room for the answers of one operation. Sizes are in bytes of responses. */
export interface AnswerRoom {
  /** The largest answer for which there is room for sure, when it is its turn. */
  readonly largest: number;
  /** The largest answer that counts as short, which waits for no turn. */
  readonly short: number;
  /**
   * Takes room for a part of an answer. It stays taken until the room is closed.
   * @returns Whether there is room. If not, the reader is called once.
   * @throws AnswerMemoryError when the operation gets no more.
   */
  take(bytes: number, reader: AnswerReader): boolean;
  /** Ends the wait of a reader. Without effect if it does not wait. */
  leave(reader: AnswerReader): void;
  /** Gives back what was taken for an answer that is not kept. */
  free(bytes: number): void;
  /** Keeps what is in another room until this one is closed, too: the operation shares an answer in it. */
  join(other: AnswerRoom): void;
  /** Gives everything back. */
  close(): void;
  /** Opens another room of the same client. It must be closed. */
  another(): AnswerRoom;
  /** Returns an open room for the operation: this one, or another one if it is closed. */
  renew(): AnswerRoom;
}

/** Waits for room. */
class RoomWait implements AnswerReader {
  goOn: () => void = () => undefined;
  end: (error: Error) => void = () => undefined;
  readonly granted = new Promise<void>((resolve, reject) => {
    this.goOn = resolve;
    this.end = reject;
  });
}

/**
 * Takes room, and waits where there is none. Undefined: it is taken.
 * @param signal Ends the wait; the promise rejects with its reason.
 * @param maxWait Longest wait, in milliseconds; the promise rejects with AnswerMemoryError. Default: until the signal aborts.
 * @throws AnswerMemoryError as `AnswerRoom.take` does. The promise rejects with it, too.
 */
export function waitForRoom(
  room: AnswerRoom,
  bytes: number,
  signal: Abortable | undefined,
  maxWait?: number,
): Promise<void> | undefined {
  const wait = new RoomWait();
  if (room.take(bytes, wait)) return undefined;
  const timer =
    maxWait === undefined ? undefined : setTimeout(() => wait.end(new AnswerMemoryError()), maxWait);
  return untilAborted(wait.granted, signal).finally(() => {
    clearTimeout(timer);
    room.leave(wait);
  });
}

/** Makes the rooms of requests that belong to no operation. */
export interface AnswerRooms {
  openRoom(): AnswerRoom;
}
