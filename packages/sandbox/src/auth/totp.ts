// Computes and checks one-time codes (RFC 6238: HMAC-SHA-1, six digits, 30 seconds).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The milliseconds for which a code is shown. */
const INTERVAL = 30_000;
const DIGITS = 6;
const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Returns the number of the interval that a code belongs to: the current, previous or next one, because clocks differ.
 * Undefined when the code belongs to none of them. `secret` is in Base32, `time` in milliseconds since 1970.
 */
export function findInterval(secret: string, code: string, time: number): number | undefined {
  const key = decodeBase32(secret);
  const current = Math.floor(time / INTERVAL);
  const intervals = [current, current - 1, current + 1];
  return intervals.find((interval) => interval >= 0 && isSame(createCode(key, interval), code));
}

/** Creates the code of an interval (RFC 4226, section 5.3). */
function createCode(key: Buffer, interval: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(interval));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const truncated = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Compares in constant time, so that the duration of a request does not reveal digits of the code. */
function isSame(expected: string, code: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((digit) => BASE32_ALPHABET.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
