// Encrypts what leaves the process, for replicas or in cookies, and hashes its name.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** What is shared under one name. */
export interface Seal {
  /** The keyed hash of the name. */
  readonly id: string;
  seal(content: object): string;
  /** Returns the content, JSON of unknown form; undefined when it was not sealed for this name with one of the secrets. */
  open(sealed: string): unknown;
}

/**
 * Keeps what replicas share from others who can read or write there.
 * @param secrets The operator's secrets. The first one seals, each opens.
 */
export function createSealing(secrets: readonly string[]): (name: string) => Seal {
  const roots = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'optiongraph replicas', 32)),
  );
  const [first] = roots;
  if (first === undefined) throw new TypeError('expected a secret');
  return (name) => {
    // A key for each name, so that nothing can be moved to another one, and no key is used for too many messages.
    const keyOf = (root: Buffer): Buffer => derive(root, `key ${name}`);
    return {
      id: derive(first, `name ${name}`).toString('base64url'),
      seal: (content) => seal(keyOf(first), JSON.stringify(content)),
      open: (sealed) => {
        for (const root of roots) {
          const content = open(keyOf(root), Buffer.from(sealed, 'base64url'));
          if (content !== null) return JSON.parse(content);
        }
        return undefined;
      },
    };
  };
}

const derive = (root: Buffer, purpose: string): Buffer => createHmac('sha256', root).update(purpose).digest();

function seal(key: Buffer, content: string): string {
  const iv = randomBytes(IV_LENGTH);
  const cipher = createCipheriv(CIPHER, key, iv);
  return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

function open(key: Buffer, sealed: Buffer): string | null {
  if (sealed.length < IV_LENGTH + TAG_LENGTH) return null;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_LENGTH), {
    authTagLength: TAG_LENGTH,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
  try {
    const content = decipher.update(sealed.subarray(IV_LENGTH, -TAG_LENGTH));
    return Buffer.concat([content, decipher.final()]).toString();
  } catch {
    return null;
  }
}
