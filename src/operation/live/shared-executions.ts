// Shares the executions of a live query with the other replicas whose clients have sent it.
//
// The replica that is due first takes the lease of the query, executes it, and sends the result to the others, which then start their
// interval anew. So the same replica executes again; when it has gone, the next one that is due does. Executions are also stored, because
// a message can be lost: a replica that is due looks for a stored one before it executes.
//
// Order. Each execution has the token of its claim, and later claims have larger tokens. After a write, a replica needs an execution that
// began later. It claims: with the lease, it executes itself; while another replica executes, the claim gives a token that only later
// executions exceed. So a write causes two executions at most, however many replicas there are.
import * as z from 'zod';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';
import type { LiveQuery } from './live-query.ts';
import { type LiveResult, type SentResult, sentResult } from './live-result.ts';

/** Bounds of the duration of a lease, in milliseconds. It is renewed while an execution lasts. */
const LEASE = { min: 500, max: 3_000 };
/** For how long a result is stored, in milliseconds. It is stored again when half of that is over. */
const KEPT_FOR = 600_000;

const execution = z.object({
  /** The fencing token of its claim. */
  token: z.number(),
  /** That of its result. */
  digest: z.string(),
  /** Dotted paths of the resources that it has read. */
  resources: z.array(z.string()),
});

const storedResult = z.object({ digest: z.string(), result: sentResult });

/** What another replica has executed. */
export interface SharedExecution {
  /** Null: the result is the one that this replica has. */
  readonly result: SentResult | null;
  readonly resources: readonly string[];
  /** Whether it has begun after all changes that this replica knows of. */
  readonly isLater: boolean;
}

/** The part of one replica in the executions of one live query. */
export class SharedExecutions {
  readonly #replicas: Replicas;
  readonly #name: string;
  readonly #query: LiveQuery;
  readonly #channel: Channel;
  /** The token of the last known execution. */
  #last = Number.NEGATIVE_INFINITY;
  /** Executions with a larger token show all known changes. */
  #minimum = Number.NEGATIVE_INFINITY;
  /** Set by a change: the token of the next claim becomes the minimum. */
  #hasChanged = false;
  /** The token of the execution under way. */
  #token = Number.NEGATIVE_INFINITY;
  #renewal: NodeJS.Timeout | null = null;
  #stored: { readonly digest: string; readonly at: number } | null = null;
  #isClosed = false;

  /** @param name Identifies the query. It may contain secrets. */
  constructor(replicas: Replicas, name: string, query: LiveQuery) {
    this.#replicas = replicas;
    this.#name = name;
    this.#query = query;
    this.#channel = openChannel(replicas, name, execution, (message) => {
      if (!this.#isClosed) void this.#receive(message);
    });
  }

  /** Only executions that begin from now on show all changes. */
  onChange(): void {
    this.#hasChanged = true;
  }

  /**
   * Executes the query. `elsewhere`: another replica has, and the query has taken its result. `busy`: another one does now. An
   * execution has to be finished.
   */
  async run<Outcome>(execute: () => Promise<Outcome>): Promise<Outcome | 'elsewhere' | 'busy'> {
    const duration = Math.max(LEASE.min, Math.min(LEASE.max, this.#query.interval / 2));
    // The message of an execution may come while this replica claims.
    const last = this.#last;
    const claim = await this.#replicas.claim(this.#name, duration);
    if (this.#hasChanged && !claim.isAlone) this.#minimum = claim.token;
    this.#hasChanged = false;
    if (!claim.isHeld) return 'busy';
    if (!claim.isAlone) {
      const known = execution.safeParse(await this.#replicas.load(this.#executionName)).data;
      if (
        known !== undefined &&
        known.token > Math.max(last, this.#minimum) &&
        (await this.#receive(known))
      ) {
        await this.#replicas.release(this.#name);
        return 'elsewhere';
      }
    }
    this.#token = claim.token;
    const renew = (): void => void this.#replicas.claim(this.#name, duration);
    this.#renewal = setInterval(renew, duration / 3);
    try {
      return await execute();
    } finally {
      clearInterval(this.#renewal);
    }
  }

  /** Sends the others the execution that has ended, and releases the lease. @param result Null: it has failed. */
  async finish(result: LiveResult | null, resources: readonly string[]): Promise<void> {
    const { sent, digest } = result ?? { sent: null, digest: '' };
    if (sent !== null && Number.isFinite(this.#token)) {
      const message = { token: this.#token, digest, resources };
      this.#last = this.#token;
      if (this.#stored?.digest !== digest || performance.now() - this.#stored.at > KEPT_FOR / 2) {
        this.#stored = { digest, at: performance.now() };
        await this.#replicas.store(this.#resultName, { digest, result: sent }, KEPT_FOR);
      }
      await this.#replicas.store(this.#executionName, message, this.#query.interval);
      await this.#channel.send(message);
    }
    await this.#replicas.release(this.#name);
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }

  get #executionName(): string {
    return `${this.#name} execution`;
  }

  get #resultName(): string {
    return `${this.#name} result`;
  }

  /** Takes what another replica has executed. False: its result cannot be read. */
  async #receive({ token, digest, resources }: z.infer<typeof execution>): Promise<boolean> {
    if (token <= this.#last) return true;
    const isLater = !this.#hasChanged && token > this.#minimum;
    let result: SentResult | null = null;
    if (digest !== this.#query.result?.digest) {
      const stored = storedResult.safeParse(await this.#replicas.load(this.#resultName)).data;
      if (stored?.digest !== digest || token <= this.#last) return false;
      result = stored.result;
    }
    this.#last = token;
    if (!this.#isClosed) this.#query.takeShared({ result, resources, isLater: isLater && !this.#hasChanged });
    return true;
  }
}
