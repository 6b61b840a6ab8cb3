// Encodes values that replicas share, and compresses large ones.
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Bytes from which values are compressed. */
const COMPRESSED_FROM = 4_096;
/** Largest value that is read. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The first byte of compressed values. JSON begins with another one. */
const COMPRESSED = Buffer.from([0]);

/** Encodes a value. */
export async function pack(value: object): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(value));
  if (json.length < COMPRESSED_FROM) return json;
  return Buffer.concat([COMPRESSED, await promisify(gzip)(json)]);
}

/** Decodes a value. */
export async function unpack(content: Buffer): Promise<unknown> {
  const isCompressed = content[0] === COMPRESSED[0];
  const json = isCompressed
    ? await promisify(gunzip)(content.subarray(1), { maxOutputLength: MAX_BYTES })
    : content;
  return JSON.parse(json.toString());
}
