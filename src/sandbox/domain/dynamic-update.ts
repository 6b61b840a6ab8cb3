import { createHash, randomBytes } from 'node:crypto';
import type { Call, Item } from '../engine/definition.ts';

/** A new secret of a DNS record whose address clients may set: 160 random bits, in hexadecimal. */
export function createAccessToken(): string {
  return randomBytes(20).toString('hex');
}

/** The secret of a record of the seed, which is the same in every sandbox. */
export function seededAccessToken(id: number): string {
  return createHash('sha256').update(`seeded record ${id}`).digest('hex').slice(0, 40);
}

/** The URL that sets a record's address, in the version and at the origin that were asked; null where none does. */
export function dynamicUpdateUrl({ access_token }: Item, { api, request }: Call): string | null {
  if (typeof access_token !== 'string') return null;
  const path = api.resource(['dns_record']).actions.get('dynamic_update')?.path ?? '';
  return request.origin + path.replace('{access_token}', access_token);
}
