import { createHash } from 'node:crypto';
import type { Call, Item } from './definition.ts';

/** The secret of a DNS record whose address clients may set. */
export function accessToken(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 40);
}

/** The URL that sets a record's address, in the version and at the origin that were asked; null where none does. */
export function dynamicUpdateUrl({ access_token }: Item, { api, request }: Call): string | null {
  if (typeof access_token !== 'string') return null;
  const path = api.resource(['dns_record']).actions.get('dynamic_update')?.path ?? '';
  return request.origin + path.replace('{access_token}', access_token);
}
