// Keeps values in cookies that only the facade can read and write.
import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { createSealing, type Seal } from '../../sharing/sealing.ts';
import { isObject } from '../../upstream/json.ts';

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
export class SealedCookie<Value extends object> {
  readonly #name: string;
  readonly #form: z.ZodType<Value>;
  readonly #seal: Seal;
  readonly #options: SealOptions;

  constructor(name: string, form: z.ZodType<Value>, options: SealOptions) {
    // Browsers accept these prefixes only over https. `__Host-` also refuses cookies that another subdomain sets, but needs the root path.
    const prefix = options.path === '/' ? '__Host-' : '__Secure-';
    this.#name = options.isSecure ? `${prefix}${name}` : name;
    this.#form = form;
    this.#options = options;
    // Each cookie has its own key, so that none can be used in place of another.
    this.#seal = createSealing(options.secrets ?? [PROCESS_SECRET])(`cookie ${name} ${options.audience}`);
  }

  /** The `Set-Cookie` header that stores a value. @throws RangeError when the value is too long for a cookie. */
  set(value: Value): string {
    const { maxAge } = this.#options;
    const sealed = this.#seal.seal({ value, endsAt: Date.now() + maxAge * 1_000 });
    if (sealed.length > MAX_LENGTH) throw new RangeError('the value is too long for a cookie');
    return this.#header(sealed, maxAge);
  }

  /** The `Set-Cookie` header that removes the cookie. */
  clear(): string {
    return this.#header('', 0);
  }

  /** The value in a `Cookie` header: undefined when the cookie is absent, null when it is invalid or expired. */
  read(header: string | null): Value | null | undefined {
    const pair = header?.split(/; */).find((one) => one.startsWith(`${this.#name}=`));
    if (pair === undefined) return undefined;
    const content = this.#seal.open(pair.slice(this.#name.length + 1));
    if (!isObject(content) || Date.now() >= Number(content['endsAt'])) return null;
    return this.#form.safeParse(content['value']).data ?? null;
  }

  #header(value: string, maxAge: number): string {
    const { isSecure, path } = this.#options;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
  }
}
