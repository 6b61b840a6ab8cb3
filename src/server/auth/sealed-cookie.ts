import { createHash, randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** Longest value of a cookie that browsers are sure to keep, in characters. */
const MAX_LENGTH = 3_800;

/** A cookie that only this facade can read and write: encrypted and signed (JWE, A256GCM), out of reach of scripts. */
export class SealedCookie {
  readonly name: string;
  readonly #key: Uint8Array;
  readonly #maxAge: number;

  /**
   * @param secret Of the operator's, at least 32 characters; null: one of this process alone.
   * @param maxAge Seconds for which the browser keeps it, and for which it is good.
   */
  constructor(name: string, secret: string | null, maxAge: number) {
    this.name = name;
    this.#maxAge = maxAge;
    // A key of its own for each cookie: none can be passed off as another.
    this.#key = createHash('sha256')
      .update(secret ?? PROCESS_SECRET)
      .update(name)
      .digest();
  }

  /** The `Set-Cookie` header that stores a value. @throws RangeError when browsers would not keep it. */
  async set(value: object, isSecure: boolean): Promise<string> {
    const sealed = await new EncryptJWT({ ...value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(`${this.#maxAge}s`)
      .encrypt(this.#key);
    if (sealed.length > MAX_LENGTH) throw new RangeError('the tokens are too long for a cookie');
    return this.#header(sealed, this.#maxAge, isSecure);
  }

  /** The `Set-Cookie` header that takes it away. */
  clear(isSecure: boolean): string {
    return this.#header('', 0, isSecure);
  }

  /** Its value in a `Cookie` header; null where it is not there, undefined where it is not good. */
  async read(header: string | null): Promise<Readonly<Record<string, unknown>> | null | undefined> {
    const pair = header?.split(/; */).find((one) => one.startsWith(`${this.name}=`));
    if (pair === undefined) return null;
    try {
      return (await jwtDecrypt(pair.slice(this.name.length + 1), this.#key)).payload;
    } catch {
      return undefined;
    }
  }

  #header(value: string, maxAge: number, isSecure: boolean): string {
    return `${this.name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${isSecure ? '; Secure' : ''}`;
  }
}

const PROCESS_SECRET = randomBytes(32).toString('base64');
