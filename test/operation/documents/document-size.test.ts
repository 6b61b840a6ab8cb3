// Tests that JSON of clients is measured before it is parsed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson } from '../../../src/operation/documents/document-size.ts';
import { completeLimits } from '../../../src/operation/limits.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const limits = completeLimits({ document: { values: 10 } }).document;
const check = (text: string) => checkJson(text, 'body', limits);

describe('JSON of a client', () => {
  it('may have as many values as a request can have', () => {
    const listOf = (count: number) => JSON.stringify({ a: Array(count).fill(1) });
    expect(() => check(listOf(100))).not.toThrow();
    expect(() => check(listOf(120))).toThrow('The body has more than 120 values. Split it.');
    expect(() => check('['.repeat(121))).toThrow('more than 120 values');
    const nested = completeLimits({}).document;
    expect(() => checkJson('['.repeat(601), 'body', nested)).toThrow('The body has more than 500 levels.');
    expect(() => checkJson(`[${'[],'.repeat(1_000)}[]]`, 'body', nested)).not.toThrow();
  });

  it('may have any characters in its texts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', 'x') }), { maxLength: 9 }),
        (texts) => {
          const filler = Array(110 - texts.length).fill(0);
          expect(() => check(JSON.stringify([...texts, ...filler]))).not.toThrow();
          expect(() => check(JSON.stringify([...texts, ...filler, ...Array(11).fill(0)]))).toThrow('values');
        },
      ),
    );
    expect(() => check(`"${','.repeat(1_000)}`)).not.toThrow();
  });

  it('is refused by POST before it is parsed', async () => {
    await using shop = await openWorkshop();
    const { url } = await shop.listen();
    const send = async (body: string): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(url, { method: 'POST', headers, body })).json();
    };
    for (const [body, message] of [
      ['['.repeat(400_000), 'The body has more than 500 levels.'],
      [`[${'1,'.repeat(400_000)}1]`, 'The body has more than 40100 values. Split it.'],
    ] as const)
      expect(await send(body)).toMatchObject({
        errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
      });
  });
});
