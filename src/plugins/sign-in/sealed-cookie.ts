// Encrypts values in cookies.
import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** Longest cookie value that all browsers store, in characters. */
const MAX_LENGTH = 3_800;
const PROCESS_SECRET = randomBytes(32).toString('base64');
const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

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

type Value = Readonly<Record<string, unknown>>;

/** A cookie that only the facade can read and write: encrypted and authenticated (JWE, A256GCM), and not readable by scripts. */
export class SealedCookie {
  readonly #name: string;
  readonly #keys: readonly Uint8Array[];
  readonly #options: SealOptions;

  constructor(name: string, options: SealOptions) {
    // Browsers accept these prefixes only over https. `__Host-` also refuses cookies that another subdomain sets, but needs the root path.
    const prefix = options.path === '/' ? '__Host-' : '__Secure-';
    this.#name = options.isSecure ? `${prefix}${name}` : name;
    this.#options = options;
    // Each cookie has its own key, so that none can be used in place of another.
    const info = `${name} ${options.audience}`;
    this.#keys = (options.secrets ?? [PROCESS_SECRET]).map(
      (secret) => new Uint8Array(hkdfSync('sha256', secret, '', info, 32)),
    );
  }

  /** The `Set-Cookie` header that stores a value. @throws RangeError when the value is too long for a cookie. */
  async set(value: object): Promise<string> {
    const { maxAge } = this.#options;
    const sealed = await new EncryptJWT({ ...value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(`${maxAge}s`)
      .encrypt(this.#keys[0] ?? new Uint8Array());
    if (sealed.length > MAX_LENGTH) throw new RangeError('the value is too long for a cookie');
    return this.#header(sealed, maxAge);
  }

  /** The `Set-Cookie` header that removes the cookie. */
  clear(): string {
    return this.#header('', 0);
  }

  /** The encrypted value in a `Cookie` header; null when the cookie is absent. */
  sealedIn(header: string | null): string | null {
    const pair = header?.split(/; */).find((one) => one.startsWith(`${this.#name}=`));
    return pair?.slice(this.#name.length + 1) ?? null;
  }

  /** The value in a `Cookie` header; undefined when the cookie is absent, invalid or expired. */
  async read(header: string | null): Promise<Value | undefined> {
    const sealed = this.sealedIn(header);
    return sealed === null ? undefined : this.open(sealed);
  }

  /** Decrypts a value; undefined when it is invalid or expired. */
  async open(sealed: string): Promise<Value | undefined> {
    for (const key of this.#keys) {
      const opened = await jwtDecrypt(sealed, key, ALGORITHMS).catch(() => null);
      if (opened !== null) return opened.payload;
    }
    return undefined;
  }

  #header(value: string, maxAge: number): string {
    const { isSecure, path } = this.#options;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
  }
}
