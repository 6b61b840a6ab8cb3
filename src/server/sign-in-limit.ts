import { createHash } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Action } from '../upstream/description.ts';
import { TooManyAttemptsError } from '../upstream/errors.ts';
import type { JsonObject } from '../upstream/reader.ts';

/** Attempts to sign in that are passed on a minute. */
export interface SignInLimits {
  /** From one address; default 30. */
  readonly address?: number;
  /** Of one user, wherever from; default 10. */
  readonly user?: number;
}

const MINUTE = 60;

/** Keeps guessing of passwords and codes from going through the facade, which the upstream sees as one address. */
export class SignInLimit {
  readonly #byAddress: RateLimiterMemory;
  readonly #byUser: RateLimiterMemory;

  constructor({ address = 30, user = 10 }: SignInLimits = {}) {
    this.#byAddress = new RateLimiterMemory({ points: address, duration: MINUTE });
    this.#byUser = new RateLimiterMemory({ points: user, duration: MINUTE });
  }

  /** Counts an attempt. @throws TooManyAttemptsError */
  async attempt(action: Action, input: JsonObject, address: string | undefined): Promise<void> {
    try {
      await this.#byAddress.consume(address ?? '');
      await this.#byUser.consume(`${action.scope} ${userOf(action, input)}`);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      throw new TooManyAttemptsError(
        Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000),
        action.scope,
      );
    }
  }
}

/** Who is signing in: the first input that must be given, hashed, since at a later step it is a token. */
function userOf({ input: { parameters } }: Action, input: JsonObject): string {
  const name = parameters.find(({ required }) => required)?.name ?? '';
  return createHash('sha256').update(String(input[name])).digest('base64');
}
