// Counts the operations under way: to limit those of one client, and to let all finish before a facade closes.
import pTimeout from 'p-timeout';
import type { Client } from '../callers/requester.ts';
import { EarlyEnd } from '../upstream/abortable.ts';
import { ShuttingDownError } from '../upstream/errors.ts';
import { OperationLimitError } from './errors.ts';
import type { Limits } from './limits.ts';

/** The numbers of queries and mutations that clients have under way. A stream counts until it has begun. */
export class OperationsUnderWay {
  readonly #limits: Pick<Limits, 'operationsUnderWay'>;
  readonly #counts = new Map<string, number>();

  constructor(limits: Pick<Limits, 'operationsUnderWay'>) {
    this.#limits = limits;
  }

  /** Counts an operation. Returns the name of the client, for `leave`. @throws OperationLimitError when the client has too many. */
  enter({ network, key }: Client): string {
    const client = `${network} ${key}`;
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#limits.operationsUnderWay) throw new OperationLimitError(count);
    this.#counts.set(client, count + 1);
    return client;
  }

  leave(client: string): void {
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left === 0) this.#counts.delete(client);
    else this.#counts.set(client, left);
  }
}

/** The shutdown of one facade. Operations and transports ask it whether it has begun, and register what is under way. */
export class Shutdown {
  /** The ends of operations that are being executed, and whatever else has no complete answer. */
  readonly operations = new UnderWay();
  /** Writes that the upstream may be carrying out. */
  readonly writes = new UnderWay();
  #hasBegun = false;

  /** @throws ShuttingDownError when no operation may begin any more. */
  check(): void {
    if (this.#hasBegun) throw createError();
  }

  /** Refuses new operations, ends waits, and refuses writes that have not begun. */
  begin(): void {
    if (!this.#hasBegun) this.#end('close');
  }

  /** Begins, and aborts all reads. */
  abort(): void {
    this.#end('abort');
  }

  #end(how: 'close' | 'abort'): void {
    this.#hasBegun = true;
    const error = createError();
    for (const one of this.operations.members) if (one instanceof EarlyEnd) one[how](error);
  }

  /**
   * Begins, and resolves when no operation is under way. Reads are aborted after `shutdownTime`. Writes are waited for, each until
   * its own deadline, and their answers for up to `closeSpread`.
   */
  async finish({ shutdownTime, closeSpread }: Pick<Limits, 'shutdownTime' | 'closeSpread'>): Promise<void> {
    this.begin();
    if (await this.operations.isIdleWithin(shutdownTime)) return;
    this.abort();
    await this.writes.idle();
    await this.operations.isIdleWithin(closeSpread);
  }
}

/** What is under way. */
class UnderWay {
  readonly members = new Set<object>();
  readonly #onIdle: (() => void)[] = [];

  add(member: object): void {
    this.members.add(member);
  }

  delete(member: object): void {
    this.members.delete(member);
    if (this.members.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Adds a member. The returned function removes it; later calls of it do nothing. */
  enter(): () => void {
    const member = {};
    this.add(member);
    return () => this.delete(member);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.members.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Waits as `idle` does, for up to `ms` milliseconds. Returns whether nothing is under way. */
  async isIdleWithin(ms: number): Promise<boolean> {
    await pTimeout(this.idle(), { milliseconds: Math.max(1, ms), fallback: () => undefined });
    return this.members.size === 0;
  }
}

const createError = (): ShuttingDownError =>
  new ShuttingDownError('The server is shutting down; try again in a moment.');
