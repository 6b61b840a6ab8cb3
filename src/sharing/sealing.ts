// Hashes the names of what replicas share, and compresses and encrypts its content.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const CIPHER = 'aes-256-gcm';
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** What is shared under one name. */
export interface Seal {
  /** The keyed hash of the name. */
  readonly id: string;
  seal(content: Buffer): string;
  /** Returns the content; null when it was not sealed for this name with one of the secrets. */
  open(sealed: string): Buffer | null;
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
    const id = derive(first, `name ${name}`).toString('base64url');
    // A key for each name, so that nothing can be moved to another one, and no key is used for too many messages.
    const keyOf = (root: Buffer): Buffer => derive(root, `key ${name}`);
    let keys: readonly Buffer[] | null = null;
    return {
      id,
      seal: (content) => seal(keyOf(first), content),
      open: (sealed) => {
        keys ??= roots.map(keyOf);
        for (const candidate of keys) {
          const content = open(candidate, sealed);
          if (content !== null) return content;
        }
        return null;
      },
    };
  };
}

const derive = (root: Buffer, purpose: string): Buffer => createHmac('sha256', root).update(purpose).digest();

function seal(key: Buffer, content: Buffer): string {
  const iv = randomBytes(IV_LENGTH);
  const cipher = createCipheriv(CIPHER, key, iv);
  return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

function open(key: Buffer, sealed: string): Buffer | null {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < IV_LENGTH + TAG_LENGTH) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_LENGTH), { authTagLength: TAG_LENGTH });
  decipher.setAuthTag(bytes.subarray(-TAG_LENGTH));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_LENGTH, -TAG_LENGTH)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Bytes from which records are compressed, and the size of the largest that is read. */
const COMPRESSED_FROM = 4_096;
const MAX_BYTES = 128 * 1024 * 1024;
/** The first byte of compressed records. JSON begins with another one. */
const COMPRESSED = Buffer.from([0]);

/** Encodes a record. */
export async function pack(value: object): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(value));
  if (json.length < COMPRESSED_FROM) return json;
  return Buffer.concat([COMPRESSED, await promisify(gzip)(json)]);
}

/** Decodes a record. */
export async function unpack(content: Buffer): Promise<unknown> {
  const json =
    content[0] === COMPRESSED[0]
      ? await promisify(gunzip)(content.subarray(1), { maxOutputLength: MAX_BYTES })
      : content;
  return JSON.parse(json.toString());
}
