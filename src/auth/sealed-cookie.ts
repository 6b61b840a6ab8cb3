import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** Longest value of a cookie that browsers are sure to keep, in characters. */
const MAX_LENGTH = 3_800;
const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

/** How a cookie is sealed, and for how long. */
export interface SealOptions {
  /** The operator's, at least 32 characters; null: one of this process alone. */
  readonly secret: string | null;
  /** What the cookie is good for: one with the same secret but for something else cannot be read. */
  readonly audience: string;
  /** Seconds for which the browser keeps it, and for which it is good. */
  readonly maxAge: number;
  /** Whether the facade is reached over https: the cookie is then bound to that, and to its very host. */
  readonly isSecure: boolean;
}

/** A cookie that only this facade can read and write: encrypted and signed (JWE, A256GCM), out of reach of scripts. */
export class SealedCookie {
  readonly #name: string;
  readonly #key: Uint8Array;
  readonly #options: SealOptions;

  constructor(name: string, options: SealOptions) {
    // Browsers take the prefix from the host itself over https alone, so that no neighbour can plant one.
    this.#name = options.isSecure ? `__Host-${name}` : name;
    this.#options = options;
    // A key of its own for each cookie: none can be passed off as another.
    const info = `${name} ${options.audience}`;
    this.#key = new Uint8Array(hkdfSync('sha256', options.secret ?? PROCESS_SECRET, '', info, 32));
  }

  /** The `Set-Cookie` header that stores a value. @throws RangeError when browsers would not keep it. */
  async set(value: object): Promise<string> {
    const { maxAge } = this.#options;
    const sealed = await new EncryptJWT({ ...value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(`${maxAge}s`)
      .encrypt(this.#key);
    if (sealed.length > MAX_LENGTH) throw new RangeError('the value is too long for a cookie');
    return this.#header(sealed, maxAge);
  }

  /** The `Set-Cookie` header that takes it away. */
  clear(): string {
    return this.#header('', 0);
  }

  /** Its value in a `Cookie` header; null where it is not there, undefined where it is not good. */
  async read(header: string | null): Promise<Readonly<Record<string, unknown>> | null | undefined> {
    const pair = header?.split(/; */).find((one) => one.startsWith(`${this.#name}=`));
    if (pair === undefined) return null;
    try {
      return (await jwtDecrypt(pair.slice(this.#name.length + 1), this.#key, ALGORITHMS)).payload;
    } catch {
      return undefined;
    }
  }

  #header(value: string, maxAge: number): string {
    const secure = this.#options.isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
  }
}

const PROCESS_SECRET = randomBytes(32).toString('base64');
