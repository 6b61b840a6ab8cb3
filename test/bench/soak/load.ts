// What all kinds of clients of the soak share: requests, counts of their ends, random choices, and the time to stop.
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { FaultProxy } from './fault-proxy.ts';

/** Who sends a request. */
export interface Client {
  /** What the client does, for the report. */
  readonly role: string;
  /** Its address, as a trusted proxy states it. */
  readonly address: string;
  /** Its session token; null for an anonymous client. */
  readonly token: string | null;
}

/** An error in an answer. */
export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly retryable?: boolean };
}

/** An answer to an operation. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly AnswerError[];
}

/** What a client does once to harm others. */
export type Attack = (load: Load, client: Client) => Promise<void>;

/** Longest time for which a client waits for an answer. Milliseconds. */
const PATIENCE = 100_000;

/** The load on one facade. */
export class Load {
  /** Numbers of what has happened, by a name such as `caller: answered`. */
  readonly counts = new Map<string, number>();
  /** The first errors that no fault explains. */
  readonly unexplained: string[] = [];
  /** Connections of clients, all closed at the end of the load. */
  readonly agent = new Agent({ connections: null, headersTimeout: PATIENCE, bodyTimeout: PATIENCE });
  /** Whether the process of the facade has ended. */
  readonly isFacadeGone: () => boolean;
  readonly url: string;
  readonly tokenHeader: string;
  readonly signal: AbortSignal;
  readonly #proxy: FaultProxy;
  /** The number of clients at work, by role. */
  readonly #running = new Map<string, number>();

  constructor(
    url: string,
    tokenHeader: string,
    proxy: FaultProxy,
    signal: AbortSignal,
    isFacadeGone: () => boolean,
  ) {
    this.isFacadeGone = isFacadeGone;
    this.url = url;
    this.tokenHeader = tokenHeader;
    this.#proxy = proxy;
    this.signal = signal;
  }

  headersOf({ address, token }: Client): Record<string, string> {
    return { 'x-forwarded-for': address, ...(token === null ? {} : { [this.tokenHeader]: token }) };
  }

  /** Sends an operation. Rejects when the connection breaks, or the signal aborts it. */
  async ask(client: Client, query: string, variables = {}, signal?: AbortSignal): Promise<Answer> {
    const { body } = await request(this.url, {
      method: 'POST',
      dispatcher: this.agent,
      headers: {
        ...this.headersOf(client),
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { data = null, errors = [] } = (await body.json()) as Partial<Answer>;
    return { data, errors };
  }

  /** Repeats a task until the load ends, with a pause after each turn. A task that throws is counted as broken. */
  async repeat(role: string, wait: () => number, task: () => Promise<void>): Promise<void> {
    while (!this.signal.aborted) {
      this.#noteRunning(role, 1);
      try {
        await task();
      } catch (error) {
        this.noteUnexplained(role, 'broken', String(error));
      } finally {
        this.#noteRunning(role, -1);
      }
      await pause(wait(), undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  /** Counts the clients that are still at work as unexplained. */
  noteStragglers(): void {
    for (const [role, number] of this.#running) {
      for (let one = 0; one < number; one += 1)
        this.noteUnexplained(role, 'client without end', 'see LONGEST_END');
    }
  }

  #noteRunning(role: string, change: number): void {
    this.#running.set(role, (this.#running.get(role) ?? 0) + change);
  }

  count(role: string, what: string, by = 1): void {
    const name = `${role}: ${what}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
  }

  /** Counts the errors of an answer. Retryable ones and unknown outcomes belong to upstream faults; others are unexplained. */
  noteErrors(role: string, errors: readonly AnswerError[], startedAt: number): void {
    const duringFault = this.hadFault(startedAt);
    for (const { message, path, extensions: { code = 'no code', retryable = false } = {} } of errors) {
      if (duringFault && (retryable || code === 'OUTCOME_UNKNOWN'))
        this.count(role, `${code} during a fault`);
      else this.noteUnexplained(role, code, `${message} at ${path?.join('.')}`);
    }
  }

  noteUnexplained(role: string, what: string, text: string): void {
    this.count(role, `unexplained ${what}`);
    const at = new Date().toISOString();
    if (this.unexplained.length < 200) this.unexplained.push(`${at} ${role}: ${what}: ${text.slice(0, 300)}`);
  }

  /** Whether an upstream fault may have affected what began at this time. Milliseconds since 1970. */
  hadFault(startedAt: number): boolean {
    return this.#proxy.hadFault(startedAt, Date.now());
  }
}

/** A whole number from `least` to `most`. */
export const randomInt = (least: number, most: number): number =>
  least + Math.floor(Math.random() * (most - least + 1));

export const chance = (share: number): boolean => Math.random() < share;

/** One of the values. @throws Error without values. */
export function pick<Value>(values: readonly Value[]): Value {
  const value = values[randomInt(0, values.length - 1)];
  if (value === undefined) throw new Error('expected values to pick from');
  return value;
}
