// Subscribes, and executes the selection for each event.
import { isAsyncIterable } from '@envelop/core';
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Executed } from './user-plugins.ts';

/** What is done with the results of a stream before clients get them. */
export interface StreamHandling {
  /** Called when the stream begins. Returns what is called once, when no more events come; undefined for nothing. */
  readonly begin: () => (() => void) | undefined;
  readonly complete: (result: ExecutionResult) => ExecutionResult | Promise<ExecutionResult>;
  /** Converts what the source throws. */
  readonly toError: (error: unknown) => Error;
}

/** Opens the stream of a subscription. Returns a result where there is none. @param handling Null: the results stay as they are executed. */
export async function subscribe(
  args: ExecutionArgs,
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
  handling: StreamHandling | null,
): Promise<Executed> {
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  const executeEvent = async (rootValue: unknown): Promise<ExecutionResult> => {
    const result = await execute({ ...args, rootValue });
    return handling === null ? result : handling.complete(result);
  };
  return new EventStream(source, executeEvent, handling);
}

/** Completes the results of a stream that plugins have opened. */
export const handleStream = (results: Executed, handling: StreamHandling): Executed =>
  isAsyncIterable(results)
    ? new EventStream(results, async (result) => handling.complete(result), handling)
    : results;

/**
 * The results of one subscription. It is the only layer between the source and the transport: thousands of streams wait at the same time,
 * and each further layer would hold promises meanwhile, which live long enough to leave the young generation of the heap.
 */
class EventStream<Event> implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<Event>;
  readonly #execute: (event: Event) => Promise<ExecutionResult>;
  readonly #handling: StreamHandling | null;
  #onEnd: (() => void) | undefined;

  constructor(
    source: AsyncIterable<Event>,
    execute: (event: Event) => Promise<ExecutionResult>,
    handling: StreamHandling | null,
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#execute = execute;
    this.#handling = handling;
    this.#onEnd = handling?.begin();
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    try {
      const { value, done } = await this.#source.next();
      if (done !== true) return { value: await this.#execute(value), done: false };
    } catch (error) {
      await this.return();
      throw this.#handling?.toError(error) ?? error;
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#onEnd?.();
    this.#onEnd = undefined;
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
