// Subscribes, and executes the selection for each event.
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { refuse } from './execution-step.ts';

/** Opens the stream of a subscription, or returns why there is none. */
export type Subscribe = (
  args: ExecutionArgs,
) => Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>;

/** Executes the selection for an event, which is the root value. */
export type ExecuteEvent = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** What is done around subscriptions. */
export interface SubscriptionSteps {
  /** Returns why a subscription may not begin; null when it may. */
  readonly charge: (args: ExecutionArgs) => Error | null;
  /** Called when a stream begins. Returns what is called when it has ended; undefined for nothing. */
  readonly begin: (args: ExecutionArgs) => (() => void) | undefined;
  /** Replaces the result of an event that is too large. */
  readonly limit: (result: ExecutionResult, args: ExecutionArgs) => ExecutionResult;
}

/** Makes the errors of clients from those of results, and from what a source throws. */
export interface ErrorMasking {
  readonly mask: (result: ExecutionResult) => ExecutionResult;
  readonly toClientError: (error: unknown) => GraphQLError;
}

/** Makes a function that subscribes. @param masking Default: errors stay as they are thrown. */
export function createSubscribe(
  execute: ExecuteEvent,
  { charge, begin, limit }: SubscriptionSteps,
  masking: ErrorMasking | null = null,
): Subscribe {
  const finish = (result: ExecutionResult, args: ExecutionArgs): ExecutionResult => {
    const limited = limit(result, args);
    return masking === null ? limited : masking.mask(limited);
  };
  const handling: EventHandling = {
    execute: async (args) => finish(await execute(args), args),
    convertError: (error) => (masking === null ? error : masking.toClientError(error)),
  };
  return async (args) => {
    const refusal = charge(args);
    const source = refusal === null ? await createSourceEventStream(args) : refuse(refusal);
    if (isAsyncIterable(source)) return new EventStream(source, args, handling, begin(args));
    return masking === null ? source : masking.mask(source);
  };
}

/** What is done with the events of each stream. */
interface EventHandling {
  readonly execute: (args: ExecutionArgs) => Promise<ExecutionResult>;
  readonly convertError: (error: unknown) => unknown;
}

/**
 * The results of one subscription. It is the only layer between the source and the transport: thousands of streams wait at the same time,
 * and each further layer would hold promises meanwhile, which live long enough to leave the young generation of the heap.
 */
class EventStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>;
  readonly #args: ExecutionArgs;
  readonly #handling: EventHandling;
  /** Null after its call, or when there is nothing to call. */
  #onEnd: (() => void) | null;

  constructor(
    source: AsyncIterable<unknown>,
    args: ExecutionArgs,
    handling: EventHandling,
    onEnd: (() => void) | undefined,
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#args = args;
    this.#handling = handling;
    this.#onEnd = onEnd ?? null;
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    try {
      const { value: rootValue, done } = await this.#source.next();
      if (done !== true)
        return { value: await this.#handling.execute({ ...this.#args, rootValue }), done: false };
    } catch (error) {
      await this.return();
      throw this.#handling.convertError(error);
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#onEnd?.();
    this.#onEnd = null;
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
