// Puts payloads that are written already into the messages that graphql-ws writes.
import { randomUUID } from 'node:crypto';
import type { FormattedExecutionResult } from 'graphql';

/** The written payloads of messages that are about to be sent. */
export class WrittenPayloads {
  readonly #mark = randomUUID();
  readonly #texts = new Map<string, string>();
  #count = 0;

  /** Returns what stands for a payload until its message is sent. */
  add(text: string): FormattedExecutionResult & { toJSON(): string } {
    this.#count += 1;
    const mark = `${this.#mark}:${this.#count}`;
    this.#texts.set(mark, text);
    return { toJSON: () => mark };
  }

  /** Puts the payload into a message, at the end of which graphql-ws writes it. */
  fill(message: string): string {
    if (this.#texts.size === 0) return message;
    const start = message.lastIndexOf('"', message.length - 3);
    const mark = message.slice(start + 1, -2);
    const text = this.#texts.get(mark);
    if (text === undefined) return message;
    this.#texts.delete(mark);
    return `${message.slice(0, start)}${text}}`;
  }
}
