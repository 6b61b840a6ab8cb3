// Counts what becomes of operations, by the beginning of what the server sends for each.
import type { Outcomes } from './orders.ts';

/** Bytes of an answer in which its errors are. A result without data is shorter, and one with data has its errors first. */
const HEAD = 4_096;

/** What has become of operations. */
export class Tally {
  sent = 0;
  bytes = 0;
  #answered = 0;
  #left = 0;
  readonly #refused: Record<string, number> = {};

  /** Counts an operation by the beginning of its result. */
  answer(result: Buffer): void {
    const code = readCode(result);
    if (code === null) this.#answered += 1;
    else this.refuse(code);
  }

  refuse(code: string, count = 1): void {
    this.#refused[code] = (this.#refused[code] ?? 0) + count;
  }

  /** Counts operations that the client has completed itself. */
  leave(count: number): void {
    this.#left += count;
  }

  get outcomes(): Outcomes {
    return { sent: this.sent, answered: this.#answered, left: this.#left, refused: this.#refused };
  }
}

/** The code of the first error at the beginning of a result; null where there is none. */
export function readCode(result: Buffer): string | null {
  const head = result.toString('latin1', 0, HEAD);
  if (!head.includes('"errors":') && !head.includes('"type":"error"')) return null;
  return /"code":"([A-Z_]+)"/.exec(head)?.[1] ?? 'no code';
}

/** What is neither answered nor refused. */
export function countUnanswered({ sent, answered, left, refused }: Outcomes): number {
  return sent - answered - left - Object.values(refused).reduce((sum, count) => sum + count, 0);
}

/** Adds outcomes of several clients. */
export function addOutcomes(all: readonly Outcomes[]): Outcomes {
  const refused: Record<string, number> = {};
  for (const [code, count] of all.flatMap((one) => Object.entries(one.refused)))
    refused[code] = (refused[code] ?? 0) + count;
  const sum = (key: 'sent' | 'answered' | 'left'): number => all.reduce((total, one) => total + one[key], 0);
  return { sent: sum('sent'), answered: sum('answered'), left: sum('left'), refused };
}
