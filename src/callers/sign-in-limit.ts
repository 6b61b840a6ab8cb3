import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Action, Parameter, ValueParameter } from '../upstream/description/description.ts';
import { TooManyAttemptsError } from '../upstream/errors/request-errors.ts';
import type { JsonObject } from '../upstream/reader.ts';
import { networkOf } from './client-address.ts';

/** Attempts to sign in that are passed on a minute. */
export interface SignInLimits {
  /** From one address, or IPv6 network of 64 bits; default 30. */
  readonly address?: number;
  /** Of one user, wherever from; default 10. */
  readonly user?: number;
}

const MINUTE = 60;

/** Users whose sign-in has further steps, and for how long such a step may be taken, in milliseconds. */
const STEPS = { max: 10_000, ttl: 15 * 60_000 };

/** Keeps guessing of passwords and codes from going through the facade, which the upstream sees as one address. */
export class SignInLimit {
  readonly #byAddress: RateLimiterMemory;
  readonly #byUser: RateLimiterMemory;
  /** Who is signing in, by the token that leads to the next step. */
  readonly #userOfStep = new LRUCache<string, string>(STEPS);

  constructor({ address = 30, user = 10 }: SignInLimits = {}) {
    this.#byAddress = new RateLimiterMemory({ points: address, duration: MINUTE });
    this.#byUser = new RateLimiterMemory({ points: user, duration: MINUTE });
  }

  /** Counts an attempt, a further step too. @throws TooManyAttemptsError */
  async attempt(action: Action, input: JsonObject, address: string | undefined): Promise<void> {
    try {
      await this.#byAddress.consume(networkOf(address ?? ''));
      const user = this.#userOf(action, input);
      if (user !== null) await this.#byUser.consume(user);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      throw new TooManyAttemptsError(
        Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000),
        action.scope,
      );
    }
  }

  /** An attempt led to a token by which the same user may go on. */
  noteStep(action: Action, input: JsonObject, token: string): void {
    const user = this.#userOf(action, input);
    if (user !== null) this.#userOfStep.set(hash(token), user);
  }

  /**
   * Who is signing in, hashed: the user of the step before, else the first text among the inputs that is free and no secret.
   * Null where there is none.
   */
  #userOf({ input: { parameters } }: Action, input: JsonObject): string | null {
    const texts = parameters.filter(isText).filter(({ name }) => typeof input[name] === 'string');
    const steps = texts.map(({ name }) => this.#userOfStep.get(hash(String(input[name]))));
    const known = steps.find((user) => user !== undefined);
    if (known !== undefined) return known;
    const name = texts.find(
      (parameter) => !parameter.protected && parameter.validators.include === undefined,
    )?.name;
    // APIs find users whatever the case.
    return name === undefined ? null : hash(String(input[name]).trim().toLowerCase());
  }
}

const isText = (parameter: Parameter): parameter is ValueParameter => parameter.type === 'String';

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');
