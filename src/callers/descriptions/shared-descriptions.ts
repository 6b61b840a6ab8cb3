// Shares the descriptions that one replica has fetched with the others.
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { Replicas } from '../../sharing/replicas.ts';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { DescriptionSource, FetchedDescription } from '../../upstream/description/description-source.ts';
import type { Credential } from '../../upstream/http/caller.ts';

/** For how long a description is shared after it was fetched. Milliseconds. */
const SHARED_FOR = 3_600_000;
/** Descriptions that this replica knows to be shared. */
const MAX_KNOWN = 1_000;

/** Which description a credential has. `fetchedAt`: milliseconds since 1970. */
const reference = z.object({ fingerprint: z.string(), fetchedAt: z.number() });
const shared = z.object({ body: z.string() });

/**
 * Makes a source that asks the upstream only for what no other replica has fetched. The names of stored values contain credentials;
 * names leave the process as keyed hashes.
 * @param api Distinguishes the API from others whose replicas share.
 * @param generationOf The generation of descriptions. Those of an earlier one are outdated.
 */
export function shareDescriptions(
  source: DescriptionSource,
  replicas: Replicas,
  api: string,
  generationOf: () => string,
): DescriptionSource {
  const known = new LRUCache<string, true>({ ...atMost(MAX_KNOWN), ...expireAfter(SHARED_FOR / 2) });
  const nameOf = (fingerprint: string): string => JSON.stringify(['description', api, fingerprint]);
  const nameOfReference = (credential: Credential | null, generation: string, language = ''): string =>
    JSON.stringify(['description of', api, generation, credential?.header, credential?.value, language]);

  async function load(credential: Credential | null, language?: string): Promise<FetchedDescription | null> {
    const name = nameOfReference(credential, generationOf(), language);
    const found = reference.safeParse(await replicas.load(name)).data;
    if (found === undefined) return null;
    const content = shared.safeParse(await replicas.load(nameOf(found.fingerprint))).data;
    if (content === undefined) return null;
    return { ...source.fromBody(content.body), age: Math.max(0, Date.now() - found.fetchedAt) };
  }

  async function store(name: string, { fingerprint, body }: FetchedDescription): Promise<void> {
    if (!known.has(fingerprint) && (await replicas.store(nameOf(fingerprint), { body }, 2 * SHARED_FOR)))
      known.set(fingerprint, true);
    await replicas.store(name, { fingerprint, fetchedAt: Date.now() }, SHARED_FOR);
  }

  return {
    ...source,
    async fetch(credential, options = {}) {
      const loaded = options.mustAsk ? null : await load(credential, options.language);
      if (loaded !== null) return loaded;
      const text = await source.fetch(credential, options);
      const share = (generation: string): void =>
        void store(nameOfReference(credential, generation, options.language), text);
      return { ...text, share };
    },
  };
}
