import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Parameter } from '../../src/upstream/description.ts';
import { parseDescription } from '../../src/upstream/parse-description.ts';
import { translateRubyRegexp } from '../../src/upstream/ruby-regexp.ts';
import { compileValidation } from '../../src/upstream/validators.ts';
import { action, description, param } from '../helpers/describe.ts';

const ANSWERS = new URL('../../../shared/data/validator-answers.json', import.meta.url);

/** Raw parameters, read as any description is. */
function parse(input: Record<string, unknown>): readonly Parameter[] {
  const run = action('/v1/things/run', { method: 'POST', input });
  const parsed = parseDescription(
    description({ thing: { description: null, actions: { run }, resources: {} } }),
  );
  expect(parsed.findings).toEqual([]);
  return parsed.resources[0]?.actions[0]?.input.parameters ?? [];
}

const refuseReport = (parameter: string, reason: string): never => {
  throw new Error(`${parameter}: ${reason}`);
};

interface Answers {
  readonly single: readonly {
    readonly parameter: Record<string, unknown>;
    readonly cases: readonly {
      readonly value?: unknown;
      readonly omitted?: boolean;
      readonly accepted: boolean;
      readonly errors?: readonly string[];
    }[];
  }[];
  readonly confirm: {
    readonly parameters: Record<string, Record<string, unknown>>;
    readonly cases: readonly {
      readonly input: Record<string, unknown>;
      readonly accepted: boolean;
      readonly errors: Record<string, string[]> | null;
    }[];
  };
}

describe.skipIf(!existsSync(ANSWERS))('the answers of the reference server', () => {
  const answers: Answers = existsSync(ANSWERS)
    ? JSON.parse(readFileSync(ANSWERS, 'utf8'))
    : { single: [], confirm: { parameters: {}, cases: [] } };

  it('are ours too, all but integers that JavaScript rounds', () => {
    let agreed = 0;
    let rounded = 0;
    const differ: unknown[] = [];
    for (const { parameter, cases } of answers.single) {
      const validate = compileValidation(parse({ x: parameter }), refuseReport);
      const isAccept = 'accept' in ((parameter['validators'] ?? {}) as object);
      for (const { value, omitted, accepted, errors = [] } of cases) {
        if (typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)) {
          rounded += 1;
          continue;
        }
        const failures = validate(omitted === true ? {} : { x: value });
        // The one quirk: `accept` answers with the refused value in place of the accepted one.
        const isQuirk = isAccept && failures[0]?.code === 'NOT_ACCEPTED';
        const told = isQuirk ? errors : failures.map(({ message }) => message);
        const isSame =
          (failures.length === 0) === accepted && JSON.stringify(told) === JSON.stringify(errors);
        if (isSame) agreed += 1;
        else differ.push({ parameter, value, accepted, errors, failures });
      }
    }
    expect(differ).toEqual([]);
    const total = answers.single.reduce((sum, { cases }) => sum + cases.length, 0);
    expect(agreed + rounded).toBe(total);
    expect(rounded).toBeLessThan(20);
  });

  it('for two parameters that must agree are ours too', () => {
    const { parameters, cases } = answers.confirm;
    const validate = compileValidation(parse(parameters), refuseReport);
    for (const { input, errors } of cases) {
      const told = validate(input).map(({ parameter, message }) => [parameter, [message]]);
      expect(Object.fromEntries(told)).toEqual(errors ?? {});
    }
    expect(cases.length).toBeGreaterThan(5);
  });
});

describe('validation', () => {
  it('finds all failures of an input at once, each with its code', () => {
    const number = (rule: object) => ({ validators: { number: { message: 'n', ...rule } } });
    const length = (rule: object) => ({ validators: { length: { message: 'l', ...rule } } });
    const validate = compileValidation(
      parse({
        required: param('String', { required: true }),
        given: param('String', { nullable: false }),
        untold: param('String'),
        small: param('Integer', number({ min: 3 })),
        large: param('Integer', number({ max: 3 })),
        odd: param('Integer', number({ odd: true })),
        step: param('Integer', number({ min: 5, step: 10 })),
        short: param('String', length({ min: 2 })),
        long: param('String', length({ max: 2 })),
        exact: param('String', length({ equals: 2 })),
        flag: param('Boolean'),
        one: param('String', {
          validators: { include: { values: { a: 'A' }, message: '%{value} cannot be used' } },
        }),
      }),
      refuseReport,
    );
    const failures = validate({
      given: null,
      untold: null,
      small: 2,
      large: 4,
      odd: 2,
      step: 16,
      short: 'a',
      long: 'abc',
      exact: '😀😀😀',
      flag: 'maybe',
      one: '$&',
    });
    expect(failures.map(({ parameter, code }) => [parameter, code])).toEqual([
      ['required', 'REQUIRED'],
      ['given', 'NULL_NOT_ALLOWED'],
      ['small', 'TOO_SMALL'],
      ['large', 'TOO_LARGE'],
      ['odd', 'STEP'],
      ['step', 'STEP'],
      ['short', 'TOO_SHORT'],
      ['long', 'TOO_LONG'],
      ['exact', 'WRONG_LENGTH'],
      ['flag', 'TYPE_MISMATCH'],
      ['one', 'NOT_INCLUDED'],
    ]);
    expect(failures.at(-1)?.message).toBe('$& cannot be used');
  });

  it('leaves to the server, and reports, what JavaScript cannot check', () => {
    const reported: string[] = [];
    const validators = { format: { rx: '\\A(?>a+)b\\z', match: true, message: 'bad' } };
    const validate = compileValidation(parse({ x: param('String', { validators }) }), (name, reason) =>
      reported.push(`${name} ${reason}`),
    );
    expect(validate({ x: 'anything' })).toEqual([]);
    expect(reported).toEqual([expect.stringContaining('(?>a+)')]);
  });
});

describe('a Ruby regular expression', () => {
  it.each<[source: string, yes: readonly string[], no: readonly string[]]>([
    ['\\A[a-z]+\\z', ['abc'], ['abc\n', 'x\nabc', '']],
    ['\\Aabc\\Z', ['abc', 'abc\n'], ['abc\n\n', 'xabc']],
    ['^abc$', ['abc', 'x\nabc\ny'], ['xabc']],
    ['a.b', ['axb'], ['a\nb']],
    ['(?m)a.b', ['a\nb'], ['ab']],
    ['\\A(?m:a.b).\\z', ['a\nbx'], ['a\nb\n']],
    ['\\A(?i)abc\\z', ['ABC'], ['ABD']],
    ['(?i)ž', ['Ž'], ['z']],
    ['\\A\\h+\\z', ['0aF'], ['0g']],
    ['\\A\\H\\z', ['g'], ['f']],
    ['\\A[\\h\\-]+\\z', ['a-f'], ['g']],
    ['\\A\\d\\z', ['5'], ['٥']],
    ['\\A\\w+\\z', ['a_1'], ['ž']],
    ['\\A[[:alpha:]]+\\z', ['žaž'], ['a1']],
    ['\\A[[:alnum:]_]+\\z', ['ž1_'], ['-']],
    ['\\A[^[:space:]]+\\z', ['ab'], ['a b']],
    ['\\A(?<year>\\d{4})-\\k', [], []],
    ['\\A(?<year>\\d{4})\\z', ['2020'], ['202']],
    ['\\A[^@\\s]+@[^\\s]+\\z', ['a@b'], ['a b@c', '@b']],
    [
      '\\A((?!-)[A-Za-z0-9\\-_]{1,63}(?<!-)\\.)+[A-Za-z]{2,63}\\.\\z',
      ['a.example.'],
      ['-a.example.', 'a-.example.', 'example'],
    ],
    ['\\Aa{,2}\\z', ['', 'aa'], ['aaa']],
    ['\\A#\\{x\\}/\\-\\z', ['#{x}/-'], ['x']],
    ['\\A[]a]+\\z', [']a'], ['b']],
    ['\\A\\p{Alpha}\\z', ['ž'], ['1']],
    ['a(?#a comment)b', ['ab'], ['a']],
    ['\\A\\u017e\\z', ['ž'], ['z']],
  ])('%s accepts and refuses the same', (source, yes, no) => {
    const pattern = translateRubyRegexp(source);
    for (const text of yes) expect([text, pattern?.test(text)]).toEqual([text, true]);
    for (const text of no) expect([text, pattern?.test(text)]).toEqual([text, false]);
  });

  it.each([
    '(?>a+)b',
    'a++',
    'a*+',
    '\\Ga',
    'a\\Kb',
    '(?x) a',
    '(a)\\g<1>',
    '[a&&[b]]',
    '[a[b]]',
    '(?~ab)',
    'a(?i)b',
    '(',
    '[',
    '\\',
  ])('%s is left to the server', (source) => {
    expect(translateRubyRegexp(source)).toBeNull();
  });

  it('never makes the translator throw', () => {
    const pieces = [
      'a',
      '\\',
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      '?',
      '*',
      '+',
      '^',
      '$',
      '.',
      ':',
      '-',
      '\\A',
      '[:alpha:]',
      '(?i)',
      '(?<n>',
      '1',
      'ž',
      '|',
      ',',
      '\\p{L}',
      '\\x',
    ];
    let seed = 42;
    const next = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let run = 0; run < 20_000; run++) {
      const source = Array.from({ length: (next() % 8) + 1 }, () => pieces[next() % pieces.length]).join('');
      const pattern = translateRubyRegexp(source);
      expect(pattern === null || pattern instanceof RegExp).toBe(true);
    }
  });
});
