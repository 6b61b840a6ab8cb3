// Limits attempts to sign in, for each network and for each user.
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Action, Parameter, ValueParameter } from '../upstream/description/description.ts';
import { TooManyAttemptsError } from '../upstream/errors/request-errors.ts';
import { hashSecret } from '../upstream/http/authentication.ts';
import type { JsonObject } from '../upstream/reader.ts';
import { networkOf } from './client-address.ts';

/** Attempts to sign in that the facade sends upstream each minute. A network is an IPv4 address or an IPv6 /64 network. */
export interface SignInLimits {
  /** From one network; default 30. */
  readonly address?: number;
  /** For one user from one network; default 10. */
  readonly user?: number;
  /** For one user from all networks where that user has not signed in before; default 100. */
  readonly userElsewhere?: number;
}

/** Seconds over which attempts are counted. */
const WINDOW = 60;

/** Sign-ins with further steps that are remembered, and for how long, in milliseconds. */
const STEPS = { max: 10_000, ttl: 15 * 60_000 };

/** Pairs of a user and a network that are remembered after a sign-in. The least recently used are forgotten. */
const MAX_KNOWN = 10_000;

/** Limits guessing of passwords and codes: the upstream cannot, because it sees all clients of the facade as one address. */
export class SignInLimit {
  readonly #byNetwork: RateLimiterMemory;
  readonly #byUser: RateLimiterMemory;
  readonly #byUserElsewhere: RateLimiterMemory;
  /** Users with a network where they have signed in, from which guesses elsewhere must not lock them out. */
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });
  /** The user who is signing in, by the hashed token that leads to the next step. */
  readonly #userByStep = new LRUCache<string, string>(STEPS);

  constructor({ address = 30, user = 10, userElsewhere = 100 }: SignInLimits = {}) {
    const limit = (points: number) => new RateLimiterMemory({ points, duration: WINDOW });
    this.#byNetwork = limit(address);
    this.#byUser = limit(user);
    this.#byUserElsewhere = limit(userElsewhere);
  }

  /**
   * Counts an attempt; a further step is an attempt too.
   * @throws TooManyAttemptsError when the network or the user has reached its limit.
   */
  async attempt(action: Action, input: JsonObject, address: string | undefined): Promise<void> {
    try {
      await this.#byNetwork.consume(networkOf(address ?? ''));
      const user = this.#findUser(action, input);
      if (user === null) return;
      const place = placeOf(user, address);
      await this.#byUser.consume(place);
      if (this.#known.get(place) === undefined) await this.#byUserElsewhere.consume(user);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      throw new TooManyAttemptsError(
        Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000),
        action.scope,
      );
    }
  }

  /** Records the token with which the user of an attempt may take the next step. */
  recordStep(action: Action, input: JsonObject, token: string): void {
    const user = this.#findUser(action, input);
    if (user !== null) this.#userByStep.set(hashSecret(token), user);
  }

  /** Records that the user of an attempt has signed in. */
  recordSignIn(action: Action, input: JsonObject, address: string | undefined): void {
    const user = this.#findUser(action, input);
    if (user !== null) this.#known.set(placeOf(user, address), true);
  }

  /**
   * The hashed name of the user who signs in: the user of the step before, else the first string among the inputs that is neither
   * protected nor a choice. Null when there is none.
   */
  #findUser({ input: { parameters } }: Action, input: JsonObject): string | null {
    const texts = parameters.filter(isText).filter(({ name }) => typeof input[name] === 'string');
    const steps = texts.map(({ name }) => this.#userByStep.get(hashSecret(String(input[name]))));
    const known = steps.find((user) => user !== undefined);
    if (known !== undefined) return known;
    const name = texts.find(
      (parameter) => !parameter.protected && parameter.validators.include === undefined,
    )?.name;
    // APIs may find users regardless of case.
    return name === undefined ? null : hashSecret(String(input[name]).trim().toLowerCase());
  }
}

const placeOf = (user: string, address = ''): string => `${networkOf(address)} ${user}`;

const isText = (parameter: Parameter): parameter is ValueParameter => parameter.type === 'String';
