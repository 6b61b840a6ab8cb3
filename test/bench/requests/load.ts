// Sends an operation to a server over some connections, and measures each answer.
import { Pool } from 'undici';
import { TOKEN_HEADER } from '../stub/description.ts';
import { bodyOf, type QueryName } from './queries.ts';

/** Answers to one operation. */
export interface Answers {
  /** Milliseconds of each answer. */
  readonly latencies: readonly number[];
  /** Milliseconds from the first request to the last answer. */
  readonly duration: number;
}

/** A client with some connections to one server, which belong to callers in turn. */
export class LoadClient {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #connections: number;
  readonly #callers: number;
  #sent = 0;

  constructor(url: string, connections: number, callers: number) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections });
    this.#path = pathname;
    this.#connections = connections;
    this.#callers = callers;
  }

  /** Sends the next request of a caller. @throws Error when the answer has errors. */
  async ask(query: QueryName, caller = 0): Promise<string> {
    const { statusCode, body } = await this.#pool.request({
      method: 'POST',
      path: this.#path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        [TOKEN_HEADER]: `caller-${caller}`,
      },
      body: bodyOf(query, this.#sent++),
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors":')) {
      throw new Error(`${query} was answered ${statusCode} by ${this.#path}: ${text.slice(0, 500)}`);
    }
    return text;
  }

  /** Keeps all connections busy for a time in milliseconds, or until a number of answers. */
  async load(query: QueryName, duration: number, answers = Number.POSITIVE_INFINITY): Promise<Answers> {
    const latencies: number[] = [];
    const startedAt = performance.now();
    const work = async (caller: number): Promise<void> => {
      let now = performance.now();
      while (now - startedAt < duration && latencies.length < answers) {
        await this.ask(query, caller);
        const answeredAt = performance.now();
        latencies.push(answeredAt - now);
        now = answeredAt;
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, (_, index) => work(index % this.#callers)));
    return { latencies, duration: performance.now() - startedAt };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
