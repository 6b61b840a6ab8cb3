// Tests which keys a mutation may have.
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/loaders/errors.ts';
import { readIdempotencyKey } from '../../../src/plugins/idempotency/idempotency.ts';

const LONGEST = 'k'.repeat(255);

const read = (header: string | null, inBody?: unknown): string | null =>
  readIdempotencyKey(
    { ownHeader: () => header },
    { extensions: inBody === undefined ? null : { idempotencyKey: inBody } },
  );

describe('the header', () => {
  it.each([
    ['a word', '8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['a structured string', '"8e03978e"', '8e03978e'],
    ['a structured string with spaces and escapes', '"an \\"odd\\" \\\\ key"', 'an "odd" \\ key'],
    ['the longest word', LONGEST, LONGEST],
    ['the longest string', `"${LONGEST}"`, LONGEST],
    ['white space around it', ' key\t', 'key'],
  ])('may be %s', (_name, header, key) => {
    expect(read(header)).toBe(key);
  });

  it.each([
    ['empty', ''],
    ['an empty string', '""'],
    ['two words', 'one, two'],
    ['two strings', '"one", "two"'],
    ['a string that does not end', '"one'],
    ['a string with parameters', '"one";a=1'],
    ['a string with an unknown escape', '"o\\ne"'],
    ['a word that is too long', `${LONGEST}k`],
    ['a string that is too long', `"${LONGEST}k"`],
    ['a word beyond ASCII', 'schlüssel'],
  ])('must not be %s', (_name, header) => {
    expect(() => read(header)).toThrow(InvalidInputError);
  });
});

describe('extensions.idempotencyKey', () => {
  it('may be a text', () => {
    expect(read(null, 'an "odd" key')).toBe('an "odd" key');
  });

  it.each([
    ['empty', ''],
    ['too long', `${LONGEST}k`],
    ['a number', 7],
    ['an object', {}],
    ['a text with a line break', 'a\nb'],
  ])('must not be %s', (_name, given) => {
    expect(() => read(null, given)).toThrow(
      'extensions.idempotencyKey must be one key of 1 to 255 printable ASCII characters',
    );
  });

  it('may repeat the header, and must not differ from it', () => {
    expect(read('"key"', 'key')).toBe('key');
    expect(() => read('one', 'two')).toThrow('differ; send one of them');
  });
});
