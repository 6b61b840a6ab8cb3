import { createHash } from 'node:crypto';

/** The columns of a DNS record whose address clients may set: its secret, and the URL that holds it. */
export function updatable(origin: string, secret: string) {
  const access_token = createHash('sha256').update(secret).digest('hex').slice(0, 40);
  return { access_token, dynamic_update_url: `${origin}/v7.0/dns_records/dynamic_update/${access_token}` };
}

/** Those columns of any other record. */
export const notUpdatable = { access_token: null, dynamic_update_url: null } as const;
