// Tests the parser of long JSON against `parseExactly`, with pieces so short that small texts are divided everywhere.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { LongInteger, parseExactly } from '../../src/upstream/json.ts';
import { parseLong } from '../../src/upstream/long-json.ts';

const never = (): undefined => undefined;

/** Divides a text into parts of a length. */
function divide(bytes: Buffer, length: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += length) parts.push(bytes.subarray(from, from + length));
  return parts;
}

/** What a parser makes of a text: a value with the order of its keys, or the kind of its error. */
async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    return describeValue(await parse());
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

/** The same for equal values only, also those that `toEqual` does not distinguish. */
function describeValue(value: unknown): unknown {
  if (value instanceof LongInteger) return { digits: value.digits };
  if (Array.isArray(value)) return value.map(describeValue);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : value;
  return [
    Object.getPrototypeOf(value) === Object.prototype,
    Reflect.ownKeys(value).map((key) => [
      key,
      describeValue(Object.getOwnPropertyDescriptor(value, key)?.value),
    ]),
  ];
}

const sameAsWhole = async (text: string | Buffer, part: number, piece: number): Promise<void> => {
  const bytes = Buffer.from(text as string);
  const expected = await outcomeOf(() => parseExactly(bytes.toString('utf8')));
  expect(await outcomeOf(() => parseLong(divide(bytes, part), never, piece))).toEqual(expected);
};

const spaces = fc.constantFrom('', '', ' ', '\n\t\r ');
const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a', '', '0', '12', '"', '\\', 'ž', '😀'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const simple = fc.oneof(
  names.map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u005b\\n\\ud83d"', '"[,{\\"}]"', '""', '9007199254740993', '-12345678901234567890'),
  fc.constantFrom('1e400', '-0', '0.1', '1E+2', '-1.5e-3', 'true', 'false', 'null'),
);
const spaced = (value: fc.Arbitrary<string>) =>
  fc.tuple(spaces, value, spaces).map((texts) => texts.join(''));
const { value: json } = fc.letrec<{ value: string; member: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 7, withCrossShrink: true },
    simple,
    fc.array(spaced(tie('value')), { maxLength: 6 }).map((items) => `[${items.join(',')}]`),
    fc.array(tie('member'), { maxLength: 6 }).map((members) => `{${members.join(',')}}`),
  ),
  member: fc
    .tuple(spaced(names.map((name) => JSON.stringify(name))), spaced(tie('value')))
    .map((pair) => pair.join(':')),
}));
const sizes = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20 }));

const given = {
  numRuns: Number(process.env['RUNS'] ?? 500),
  ...(process.env['SEED'] ? { seed: Number(process.env['SEED']) } : {}),
};

describe('a long text', () => {
  it('has the value that it has as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(spaced(json), sizes, (text, [part, piece]) => sameAsWhole(text, part, piece)),
      given,
    );
  });

  it('is refused if it would be as a whole', async () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'[]{},:"\\1 n')), {
      minLength: 1,
      maxLength: 3,
    });
    const edited = fc.tuple(json, edits).map(([text, changes]) =>
      changes.reduce((now, [place, removed, added]) => {
        const at = place % (now.length + 1);
        return now.slice(0, at) + added + now.slice(at + removed);
      }, text),
    );
    await fc.assert(
      fc.asyncProperty(edited, sizes, (text, [part, piece]) => sameAsWhole(text, part, piece)),
      given,
    );
  });

  test.each([
    '',
    '  ',
    '[1,,2]',
    '[1,2,]',
    '[,1]',
    '[[1,2] 3,4]',
    '[[1,2][3,4]]',
    '[1,[2,3}]',
    '{"a":1,"b":[1,2]"c":3}',
    '{"a":1,[1,2]}',
    '{"a":[1,2],"a":3,"b":[4,5],"b":[6,7]}',
    '{"a":"b"[1,2]}',
    '{"a":-[1,2]}',
    '{"__proto__":[1,2],"x":{"__proto__":1,"y":2}}',
    '[1,2]]',
    '[1,2][3]',
    '[1,2] x',
    'x [1,2]',
    '[1,[2,3',
    '["a,b',
    '1,2',
    ',',
    ']',
    '\ufeff[1,2]',
    '[1,\u00a0[2,3]]',
    '[01,2,3]',
    `${'['.repeat(40)}1,2${']'.repeat(40)}`,
    '{"a":9007199254740993,"b":[1,-9007199254740993,"9007199254740993"]}',
  ])('is parsed, or refused, as it is as a whole: %j', async (text) => {
    for (const part of [1, 2, 3, 100]) for (const piece of [1, 2, 5]) await sameAsWhole(text, part, piece);
  });

  it('is decoded as it is as a whole, also where it is not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('["ž",'),
      Buffer.from('"\u00e2'),
      Buffer.from([0xe2, 0x82]),
      Buffer.from('","x"]'),
    ]);
    for (const part of [1, 2, 3, 100]) await sameAsWhole(bytes, part, 1);
  });

  it('pauses after each piece, and lets go of what it has parsed', async () => {
    const row = { id: 1, title: 'x'.repeat(1000) };
    const bytes = Buffer.from(JSON.stringify({ status: true, response: { books: Array(2_000).fill(row) } }));
    const parts = divide(bytes, 65_536);
    const count = parts.length;
    const left: number[] = [];
    let waits = 0;
    const value = await parseLong(parts, () => {
      left.push(parts.length);
      return Promise.resolve().then(() => {
        waits += 1;
      });
    });
    expect(value).toEqual(JSON.parse(bytes.toString()));
    expect(waits).toBe(Math.ceil(bytes.length / 16_384));
    expect(new Set(left).size).toBe(count);
    expect(parts).toEqual([]);
  });

  it('ends with what its pause throws', async () => {
    const parts = divide(Buffer.from(`[${'1,'.repeat(100_000)}1]`), 65_536);
    const left = new Error('The client has left.');
    const parsing = parseLong(parts, () => Promise.reject(left));
    await expect(parsing).rejects.toBe(left);
    expect(parts).not.toEqual([]);
  });
});
