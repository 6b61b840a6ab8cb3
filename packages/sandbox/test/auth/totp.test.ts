// Tests the one-time codes against the test vectors of RFC 6238 and against another implementation.
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { findInterval } from '../../src/auth/totp.ts';

/** The secret `12345678901234567890` of the test vectors, in Base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a one-time code', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238, appendix B, at second %i', (seconds, code) => {
    expect(findInterval(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  test('is accepted in its own interval, in the one before and in the one after', () => {
    const time = 1_800_000_000_000;
    const interval = time / 30_000;
    for (const [step, found] of [
      [-2, undefined],
      [-1, interval - 1],
      [0, interval],
      [1, interval + 1],
      [2, undefined],
    ] as const) {
      const code = new TOTP({ secret: SECRET }).generate({ timestamp: time + step * 30_000 });
      expect(findInterval(SECRET, code, time)).toBe(found);
    }
  });

  test.each(['', '28708', '2870820', 'ěš8', '２８７０８２'])('is refused in the form %j', (code) => {
    expect(findInterval(SECRET, code, 59_000)).toBeUndefined();
  });
});
