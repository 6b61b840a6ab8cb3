// Renews the tokens of browsers' sessions, each once for all requests and replicas.
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Replicas } from '../../sharing/replicas.ts';
import { expireAfter } from '../../upstream/cache-bounds.ts';
import { hashSecret } from '../../upstream/http/caller.ts';
import type { ClientHeaders } from '../../upstream/http/client-headers.ts';
import { isTokens, type OAuthClient, PROVIDER_TIMEOUT, type Tokens } from './oauth-client.ts';

/** For how long the result of a renewal is known. Milliseconds. */
const RENEWAL_KEPT = 60_000;
/** Longest time of a renewal, and time after which a replica looks again for that of another one. Milliseconds. */
const RENEWAL_TIME = PROVIDER_TIMEOUT + 2_000;
const INTERVAL = 50;

/**
 * Renewals of the last minute, by hashed refresh token. A browser's requests overlap, and a refresh token may be used only once. The
 * whole process shares them, because it may serve several versions of an API to one browser.
 */
const RENEWALS = new LRUCache<string, Promise<Tokens>>({ max: 1_000, ...expireAfter(RENEWAL_KEPT) });

/** The renewals at one provider. */
export class Renewals {
  readonly #client: OAuthClient;
  readonly #replicas: Replicas;
  readonly #audience: string;

  constructor(client: OAuthClient, replicas: Replicas, audience: string) {
    this.#client = client;
    this.#replicas = replicas;
    this.#audience = audience;
  }

  /**
   * Uses a refresh token, or joins a renewal of the last minute that did.
   * @param refused The access token that the upstream does not know; null when the token is only about to end.
   * @param headers Those about the client, for the provider.
   * @throws OAuthFailure when the provider cannot renew the session.
   */
  async renew(refresh: string, refused: string | null, headers: ClientHeaders): Promise<Tokens> {
    const { key, name } = this.#identify(refresh);
    const isUsable = ({ access, expiresAt }: Tokens): boolean =>
      access !== refused && (expiresAt === null || Date.now() < expiresAt);
    const joined = RENEWALS.get(key);
    if (joined !== undefined) {
      const fresh = await joined;
      if (isUsable(fresh)) return fresh;
      // It gave a token that has ended too. The provider may accept the refresh token more than once.
      if (RENEWALS.get(key) === joined) RENEWALS.delete(key);
      return this.renew(refresh, refused, headers);
    }
    const renewal = this.#renewOnce(name, isUsable, () => this.#client.refresh(refresh, headers));
    RENEWALS.set(key, renewal);
    renewal.catch(() => RENEWALS.delete(key));
    return renewal;
  }

  /** Tokens, and those that replaced them in the last minute. Forgets the renewals, so that no request gets a revoked token. */
  async take(tokens: Tokens): Promise<readonly Tokens[]> {
    if (tokens.refresh === null) return [tokens];
    const { key, name } = this.#identify(tokens.refresh);
    const own = await RENEWALS.get(key)?.catch(() => undefined);
    const shared = await this.#takeShared(name);
    const renewed = own ?? (isTokens(shared) ? shared : undefined);
    RENEWALS.delete(key);
    return renewed === undefined ? [tokens] : [tokens, ...(await this.take(renewed))];
  }

  /** Renews, or returns the result of the replica that renews, or has done so lately. A failed renewal is repeated by those that wait for it. */
  async #renewOnce(
    name: string,
    isUsable: (tokens: Tokens) => boolean,
    run: () => Promise<Tokens>,
  ): Promise<Tokens> {
    const replicas = this.#replicas;
    if (!replicas.hasOthers) return run();
    for (;;) {
      const isOwn = await begin(replicas, name);
      try {
        const known = await replicas.load(name);
        if (isTokens(known) && isUsable(known)) return known;
        if (isOwn) {
          const result = await run();
          await replicas.store(name, result, RENEWAL_KEPT);
          return result;
        }
      } finally {
        if (isOwn) void end(replicas, name);
      }
      await pause(INTERVAL);
    }
  }

  /** The result that is shared now, or soon if a replica renews. Removes it, so that no replica uses it from now on. */
  async #takeShared(name: string): Promise<unknown> {
    const replicas = this.#replicas;
    if (!replicas.hasOthers) return undefined;
    while (!(await begin(replicas, name))) await pause(INTERVAL);
    const value = await replicas.load(name);
    await replicas.remove(name);
    void end(replicas, name);
    return value;
  }

  /** A key within this process, in which replicas of one deployment share, and a name among replicas. */
  #identify(refresh: string): { readonly key: string; readonly name: string } {
    const deployment = this.#replicas.hasOthers ? this.#replicas.id : '';
    return {
      key: hashSecret(`${deployment} ${this.#audience} ${refresh}`),
      name: JSON.stringify(['renewal', this.#audience, refresh]),
    };
  }
}

const beginning = (name: string): string => `begun ${name}`;

/** Says that this replica renews. False: another one does. One that does not reach the others goes on by itself. */
const begin = async (replicas: Replicas, name: string): Promise<boolean> =>
  (await replicas.add(beginning(name), {}, RENEWAL_TIME)) || replicas.report?.isAlone === true;

const end = (replicas: Replicas, name: string): Promise<void> => replicas.remove(beginning(name));
