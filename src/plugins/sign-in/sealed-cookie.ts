// Keeps values in cookies that only the facade can read and write.
import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { createSealing } from '../../sharing/sealing.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import { isObject } from '../../upstream/json.ts';
import { OAuthFailure } from './oauth-client.ts';

/** Longest cookie value that all browsers store, in characters. */
const MAX_LENGTH = 3_800;
const PROCESS_SECRET = randomBytes(32).toString('base64');

/** How a cookie is encrypted, and how long it is valid. */
export interface SealOptions {
  /** The operator's secrets, 32 characters or more: the first encrypts, all decrypt. Null: a random secret of the process. */
  readonly secrets: readonly string[] | null;
  /** The purpose of the cookie. A cookie with the same secret but another audience cannot be read. */
  readonly audience: string;
  /** Seconds for which the cookie is stored and valid. */
  readonly maxAge: number;
  /** Whether browsers reach the facade over https. The cookie is then limited to https. */
  readonly isSecure: boolean;
  /** Path below which browsers send the cookie. */
  readonly path: string;
}

/** A cookie that is encrypted and authenticated, and that scripts cannot read. */
export type SealedCookie<Value extends object> = ReturnType<typeof createSealedCookie<Value>>;

/** @param purpose Its name, but for the prefix of https. */
export function createSealedCookie<Value extends object>(
  purpose: string,
  form: z.ZodType<Value>,
  { secrets, audience, maxAge, isSecure, path }: SealOptions,
) {
  // Browsers accept these prefixes only over https. `__Host-` also refuses cookies that another subdomain sets, but needs the root path.
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  const name = isSecure ? `${prefix}${purpose}` : purpose;
  // Each cookie has its own key, so that none can be used in place of another.
  const seal = createSealing(secrets ?? [PROCESS_SECRET])(`cookie ${purpose} ${audience}`);
  const write = (value: string, age: number): string =>
    `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${age}${isSecure ? '; Secure' : ''}`;
  return {
    /** The `Set-Cookie` header that stores a value. @throws OAuthFailure when it is too long. */
    set(value: Value): string {
      const sealed = seal.seal({ value, endsAt: Date.now() + maxAge * 1_000 });
      if (sealed.length > MAX_LENGTH)
        throw new OAuthFailure("The provider's tokens are too long for a cookie.", 'INVALID_RESPONSE');
      return write(sealed, maxAge);
    },
    /** The `Set-Cookie` header that removes the cookie. */
    clear: (): string => write('', 0),
    /** The value in the cookies of a request: undefined when there is none, null when it is invalid or expired. */
    read(header: HeaderReader): Value | null | undefined {
      const pair = header('cookie')
        ?.split(/; */)
        .find((one) => one.startsWith(`${name}=`));
      if (pair === undefined) return undefined;
      const content = seal.open(pair.slice(name.length + 1));
      if (!isObject(content) || Date.now() >= Number(content['endsAt'])) return null;
      return form.safeParse(content['value']).data ?? null;
    },
  };
}
