// A handler of the stub that holds back its answers until a test releases them.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Answer, Handler } from './stub-upstream.ts';

/** A call without an answer yet. */
export interface HeldAnswer {
  /** Sends the answer. */
  release(): void;
  /** Resolves when the facade gives the call up. */
  readonly abandoned: Promise<unknown>;
  /** Whether the facade has given the call up. */
  readonly isAbandoned: boolean;
}

/** Answers that wait for the test. */
export interface HeldAnswers {
  readonly handler: Handler;
  /** Resolves with the call of this number, from 0, when it has arrived. */
  take(index: number): Promise<HeldAnswer>;
}

/** Creates a handler that holds back the same answer to each call. */
export const holdAnswers = (answer: Answer): HeldAnswers => holdAnswersOf(() => answer);

/** Creates a handler that holds back the answers of another, which are made when the calls arrive. */
export function holdAnswersOf(handler: Handler): HeldAnswers {
  const held: { readonly response: ServerResponse; readonly answer: Answer }[] = [];
  const waiting: (() => void)[] = [];
  return {
    handler: (call) => (response) => {
      held.push({ response, answer: handler(call) });
      for (const wake of waiting.splice(0)) wake();
    },
    async take(index) {
      while (held[index] === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      const { response, answer } = held[index];
      return {
        release: () => answer(response),
        abandoned: response.destroyed ? Promise.resolve() : once(response, 'close'),
        get isAbandoned() {
          return response.destroyed && !response.writableEnded;
        },
      };
    },
  };
}
