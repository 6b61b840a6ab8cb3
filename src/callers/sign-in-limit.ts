// Limits attempts to sign in, for each network and for each user.
import { LRUCache } from 'lru-cache';
import type { Limiter, Replicas } from '../sharing/replicas.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { Action, Parameter, ValueParameter } from '../upstream/description/description.ts';
import { hashSecret } from '../upstream/http/caller.ts';
import { isObject, type JsonObject } from '../upstream/json.ts';
import { TooManyAttemptsError } from './credential-verifier.ts';
import { networkOf } from './requester.ts';

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

/** Sign-ins with further steps that are remembered. */
const MAX_STEPS = 10_000;
/** Time for which one is remembered, in milliseconds. */
const STEP_KEPT = 15 * 60_000;

/** Pairs of a user and a network that are remembered after a sign-in. The least recently used are forgotten. */
const MAX_KNOWN = 10_000;
/** For how long replicas share such a pair. Milliseconds. */
const KNOWN_FOR = 30 * 86_400_000;

/** Limits guessing of passwords and codes: the upstream cannot, because it sees all clients of the facade as one address. */
export class SignInLimit {
  readonly #replicas: Replicas;
  readonly #byNetwork: Limiter;
  readonly #byUser: Limiter;
  readonly #byUserElsewhere: Limiter;
  /** Users with a network where they have signed in, from which guesses elsewhere must not lock them out. */
  readonly #known = new LRUCache<string, true>(atMost(MAX_KNOWN));
  /** The user who is signing in, by the hashed token that leads to the next step. */
  readonly #userByStep = new LRUCache<string, string>({ ...atMost(MAX_STEPS), ...expireAfter(STEP_KEPT) });

  /** @param replicas Those that count together. */
  constructor(replicas: Replicas, { address = 30, user = 10, userElsewhere = 100 }: SignInLimits = {}) {
    const limit = (name: string, points: number) =>
      replicas.createLimiter(`sign-ins by ${name}`, { points, duration: WINDOW });
    this.#replicas = replicas;
    this.#byNetwork = limit('network', address);
    this.#byUser = limit('user', user);
    this.#byUserElsewhere = limit('user elsewhere', userElsewhere);
  }

  /**
   * Counts an attempt; a further step is an attempt too.
   * @throws TooManyAttemptsError when the network or the user has reached its limit.
   */
  async attempt(action: Action, input: JsonObject, address: string | undefined): Promise<void> {
    const count = async (limiter: Limiter, key: string): Promise<void> => {
      const { isExceeded, msBeforeNext } = await limiter.count(key);
      if (isExceeded) throw new TooManyAttemptsError(Math.ceil(msBeforeNext / 1000), action.scope);
    };
    await count(this.#byNetwork, networkOf(address ?? ''));
    const user = await this.#findUser(action, input);
    if (user === null) return;
    const place = placeOf(user, address);
    await count(this.#byUser, place);
    if (!(await this.#isKnown(place))) await count(this.#byUserElsewhere, user);
  }

  /** Records the token with which the user of an attempt may take the next step. */
  async recordStep(action: Action, input: JsonObject, token: string): Promise<void> {
    const user = await this.#findUser(action, input);
    if (user === null) return;
    this.#userByStep.set(hashSecret(token), user);
    if (this.#replicas.hasOthers) await this.#replicas.store(nameOfStep(token), { user }, STEP_KEPT);
  }

  /** Records that the user of an attempt has signed in. */
  async recordSignIn(action: Action, input: JsonObject, address: string | undefined): Promise<void> {
    const user = await this.#findUser(action, input);
    if (user === null) return;
    const place = placeOf(user, address);
    this.#known.set(place, true);
    if (this.#replicas.hasOthers) await this.#replicas.store(nameOfPlace(place), {}, KNOWN_FOR);
  }

  async #isKnown(place: string): Promise<boolean> {
    if (this.#known.get(place) !== undefined) return true;
    return this.#replicas.hasOthers && (await this.#replicas.load(nameOfPlace(place))) !== undefined;
  }

  /**
   * The hashed name of the user who signs in: the user of the step before, else the first string among the inputs that is neither
   * protected nor a choice. Null when there is none.
   */
  async #findUser({ input: { parameters } }: Action, input: JsonObject): Promise<string | null> {
    const texts = parameters.filter(isText).filter(({ name }) => typeof input[name] === 'string');
    const known = await this.#userOfStep(texts.map(({ name }) => String(input[name])));
    if (known !== null) return known;
    const name = texts.find(
      (parameter) => !parameter.protected && parameter.validators.include === undefined,
    )?.name;
    // APIs may find users regardless of case.
    return name === undefined ? null : this.#replicas.digest(String(input[name]).trim().toLowerCase());
  }

  /** The user whom one of the texts leads to the next step, at this replica or another one; null for none. */
  async #userOfStep(texts: readonly string[]): Promise<string | null> {
    const known = texts
      .map((text) => this.#userByStep.get(hashSecret(text)))
      .find((user) => user !== undefined);
    if (known !== undefined) return known;
    if (!this.#replicas.hasOthers) return null;
    const shared = await Promise.all(texts.map((text) => this.#replicas.load(nameOfStep(text))));
    for (const step of shared) if (isObject(step) && typeof step['user'] === 'string') return step['user'];
    return null;
  }
}

const placeOf = (user: string, address = ''): string => `${networkOf(address)} ${user}`;
const nameOfPlace = (place: string): string => JSON.stringify(['signed in', place]);
const nameOfStep = (token: string): string => JSON.stringify(['sign-in step', token]);

const isText = (parameter: Parameter): parameter is ValueParameter => parameter.type === 'String';
