// Renews the tokens of browsers' sessions, each once for all requests and replicas.
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Replicas } from '../../sharing/replicas.ts';
import { expireAfter } from '../../upstream/cache-bounds.ts';
import { hashSecret } from '../../upstream/http/caller.ts';
import type { ClientHeaders } from '../../upstream/http/client-headers.ts';
import { hasEnded, type OAuthClient, PROVIDER_TIMEOUT, type Tokens, tokensForm } from './oauth-client.ts';

/** For how long the result of a renewal is known. Milliseconds. */
const RENEWAL_KEPT = 60_000;
/** Longest time of a renewal, and time after which a replica looks again for that of another one. Milliseconds. */
const RENEWAL_TIME = PROVIDER_TIMEOUT + 2_000;
const INTERVAL = 50;

/** The renewals at one provider. Replicas share a record of each: empty while one of them renews, and then the new tokens. */
export type Renewals = ReturnType<typeof createRenewals>;

export function createRenewals(client: OAuthClient, replicas: Replicas, audience: string) {
  /**
   * Those of the last minute, by the hashed tokens that they replace. A browser's requests overlap, and a refresh token may be used only
   * once.
   */
  const renewals = new LRUCache<string, Promise<Tokens>>({ max: 1_000, ...expireAfter(RENEWAL_KEPT) });

  /** Makes a key within this process, and a name among replicas. */
  const identify = ({ access, refresh, expiresAt }: Tokens) => {
    const name = JSON.stringify(['renewal', audience, access, refresh, expiresAt]);
    return { key: hashSecret(name), name };
  };

  /** Finds the result that replicas share, when none of them renews any more; undefined for none. */
  const findShared = async (name: string): Promise<Tokens | undefined> => {
    if (!replicas.hasOthers) return undefined;
    for (;;) {
      const record = await replicas.load(name);
      const { data } = tokensForm.safeParse(record);
      if (record === undefined || data !== undefined) return data;
      await pause(INTERVAL);
    }
  };

  /** Renews, or returns the result of the replica that does. A failed renewal is repeated by those that wait for it. */
  const renewOnce = async (name: string, refresh: string, headers: ClientHeaders): Promise<Tokens> => {
    if (!replicas.hasOthers) return client.refresh(refresh, headers);
    for (;;) {
      const isOwn = await replicas.add(name, {}, RENEWAL_TIME);
      // One that does not reach the others goes on by itself.
      if (isOwn || replicas.report?.isAlone === true) {
        const result = await client.refresh(refresh, headers).catch(async (error: unknown) => {
          await replicas.remove(name);
          throw error;
        });
        await replicas.store(name, result, RENEWAL_KEPT);
        return result;
      }
      const known = await findShared(name);
      if (known !== undefined) return renewIfEnded(known, headers);
    }
  };

  /** Renews tokens whose access token has reached its stated end, where they have a refresh token. */
  const renewIfEnded = (tokens: Tokens, headers: ClientHeaders): Tokens | Promise<Tokens> =>
    tokens.refresh !== null && hasEnded(tokens) ? renew(tokens, tokens.refresh, headers) : tokens;

  /**
   * Renews tokens, or returns what a renewal of the last minute has replaced them by. Where that has ended since, it is renewed in turn.
   * @param refresh Their refresh token.
   * @param headers Those about the client, for the provider.
   * @throws OAuthFailure when the provider cannot renew the session.
   */
  const renew = async (tokens: Tokens, refresh: string, headers: ClientHeaders): Promise<Tokens> => {
    const { key, name } = identify(tokens);
    const known = renewals.get(key);
    if (known !== undefined) return renewIfEnded(await known, headers);
    const renewal = renewOnce(name, refresh, headers);
    renewals.set(key, renewal);
    renewal.catch(() => renewals.delete(key));
    return renewal;
  };

  /** Tokens, and those that replaced them in the last minute. Forgets the renewals, so that no request gets a revoked token. */
  const take = async (tokens: Tokens): Promise<readonly Tokens[]> => {
    const { key, name } = identify(tokens);
    const own = await renewals.get(key)?.catch(() => undefined);
    const shared = await findShared(name);
    renewals.delete(key);
    if (shared !== undefined) await replicas.remove(name);
    const renewed = own ?? shared;
    return renewed === undefined ? [tokens] : [tokens, ...(await take(renewed))];
  };

  return { renew, take };
}
