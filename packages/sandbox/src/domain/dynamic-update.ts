// Creates the secrets and URLs for dynamic updates of DNS records.
import { createHash, randomBytes } from 'node:crypto';
import type { Call, Item } from '../engine/definition.ts';

/** Creates the secret of a dynamic DNS record: 160 random bits in hexadecimal. */
export function createAccessToken(): string {
  return randomBytes(20).toString('hex');
}

/** Derives the secret of a seeded DNS record. Every sandbox derives the same secret. */
export function seededAccessToken(id: number): string {
  return createHash('sha256').update(`seeded record ${id}`).digest('hex').slice(0, 40);
}

/** The URL that sets a record's address, at the origin and in the API version of the request; null without dynamic updates. */
export function dynamicUpdateUrl({ access_token }: Item, { api, request }: Call): string | null {
  if (typeof access_token !== 'string') return null;
  const path = api.getResource(['dns_record']).actions.get('dynamic_update')?.path ?? '';
  return request.origin + path.replace('{access_token}', access_token);
}
