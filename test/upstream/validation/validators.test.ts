// Tests the type rules and validators of input.
import { describe, expect, it } from 'vitest';
import type { Parameter, ValueParameter, ValueType } from '../../../src/upstream/description/description.ts';
import type { Validators } from '../../../src/upstream/description/parse-validators.ts';
import { compileValidation } from '../../../src/upstream/validation/validators.ts';

const BASE = { label: null, description: null, required: false, nullable: false, deprecated: null };

function parameter(name: string, type: ValueType, more: Partial<ValueParameter> = {}): ValueParameter {
  return { ...BASE, name, type, validators: {}, default: null, protected: false, ...more };
}

function association(more: Partial<Parameter> = {}): Parameter {
  return {
    ...BASE,
    required: more.required ?? false,
    nullable: more.nullable === undefined ? false : more.nullable,
    name: 'book',
    type: 'Resource',
    resource: ['book'],
    valueId: 'id',
    valueLabel: 'title',
  };
}

/** Validates an input; each failure as `parameter CODE message`. */
function failuresOf(parameters: readonly Parameter[], input: Readonly<Record<string, unknown>>): string[] {
  const validate = compileValidation(parameters, (name, reason) => {
    throw new Error(`${name} ${reason}`);
  });
  return validate(input).map((failure) => `${failure.parameter} ${failure.code} ${failure.message}`);
}

const one = (type: ValueType, value: unknown, more: Partial<ValueParameter> = {}): string[] =>
  failuresOf([parameter('x', type, more)], { x: value });

const checked = (type: ValueType, value: unknown, validators: Validators): string[] =>
  one(type, value, { validators }).map((failure) => failure.split(' ')[1] ?? '');

describe('omitted and null', () => {
  it('differ: null is refused unless the parameter accepts it or does not describe it', () => {
    expect(one('Integer', null)).toEqual(['x NULL_NOT_ALLOWED cannot be null']);
    expect(one('Integer', null, { nullable: true })).toEqual([]);
    expect(one('Integer', null, { nullable: null })).toEqual([]);
    expect(one('Integer', undefined)).toEqual([]);
  });

  it('include a blank text where the parameter accepts null', () => {
    expect(one('Integer', ' \0\t', { nullable: true })).toEqual([]);
    expect(one('Integer', ' ', { nullable: null })).toEqual([]);
    expect(one('Integer', ' ')).toEqual(['x TYPE_MISMATCH not a valid integer: " "']);
    expect(one('Integer', '\u00a0', { nullable: true })).toHaveLength(1);
    const length = { min: 2, max: null, equals: null, message: 'length must be at least 2' };
    expect(one('String', ' ', { nullable: true, validators: { length } })).toEqual([]);
    expect(one('String', ' ', { nullable: null, validators: { length } })).toHaveLength(1);
  });

  it('consider only own keys of the input', () => {
    expect(failuresOf([parameter('constructor', 'Integer')], {})).toEqual([]);
  });
});

describe('type rules', () => {
  it.each<[ValueType, unknown, string]>([
    ['Integer', 'a"\n#{b}\u0001', 'not a valid integer: "a\\"\\n\\#{b}\\u0001"'],
    ['Integer', [1, null, { a: 1.5 }], 'not a valid integer: [1, nil, {"a" => 1.5}]'],
    ['Integer', 1.5e-7, 'not a valid integer: 1.5e-07'],
    ['Integer', '1_000', 'not a valid integer: "1_000"'],
    ['Float', '1__0', 'not a valid float: "1__0"'],
    ['Float', '1e400', 'not a valid float: "1e400"'],
    ['Boolean', 2, 'not a valid boolean: 2'],
    ['Datetime', '2023-02-29', "not in ISO 8601 format: '2023-02-29'"],
    ['Datetime', '2020-01-31T24:01Z', "not in ISO 8601 format: '2020-01-31T24:01Z'"],
    ['Datetime', '2020-01-31T10:20:30.5+02:00x', "not in ISO 8601 format: '2020-01-31T10:20:30.5+02:00x'"],
    ['Datetime', true, "not in ISO 8601 format: 'true'"],
    ['Text', {}, 'not a valid string: {}'],
  ])('refuse for %s: %j', (type, value, message) => {
    expect(one(type, value)).toEqual([`x TYPE_MISMATCH ${message}`]);
  });

  it.each<[ValueType, unknown]>([
    ['Integer', '+5'],
    ['Integer', 1e21],
    ['Integer', 12345678901234567890n],
    ['Float', '.5'],
    ['Float', ' -1_000.5e1_0\n'],
    ['Float', 12345678901234567890n],
    ['Boolean', ' Yes '],
    ['Boolean', 0],
    ['Datetime', '2024-02-29'],
    ['Datetime', ' 2020-01-31t10:20z '],
    ['Datetime', '2020-01-31T24:00:00-0530'],
    ['Datetime', '2020-01-31T23:59:60,5+02'],
    ['Datetime', '20200131T102030Z'],
    ['String', 5],
    ['Custom', [{ a: null }]],
  ])('accept for %s: %s', (type, value) => {
    expect(one(type, value)).toEqual([]);
  });

  it.each<[ValueType, unknown]>([
    ['Datetime', '2020-W05-5'],
    ['Datetime', '2020-031'],
    ['Datetime', '10:20'],
    ['Datetime', '1500-02-29'],
    ['Datetime', '2020-01-31T10:20+25:00'],
    ['Float', '0x1A'],
    ['Float', '5.'],
  ])('leave values to the server that it may accept, for %s: %j', (type, value) => {
    const never = { values: [], message: 'never' };
    expect(one(type, value, { validators: { include: never } })).toEqual([]);
  });

  it('accept ids from 0, and leave other texts to the server', () => {
    for (const id of [0, '12', ' 12 ', 'abc', '-5', 10n]) {
      expect(failuresOf([association()], { book: id })).toEqual([]);
    }
    expect(failuresOf([association()], { book: -5 })).toEqual(['book TYPE_MISMATCH not a valid ID: -5']);
    for (const id of [1.5, true, [], {}, '']) {
      expect(failuresOf([association()], { book: id })).toHaveLength(1);
    }
    expect(failuresOf([association({ nullable: true })], { book: '' })).toEqual([]);
    expect(failuresOf([association({ required: true })], { book: null })).toEqual([
      'book REQUIRED required parameter is missing',
    ]);
    expect(failuresOf([association()], { book: null })).toEqual(['book NULL_NOT_ALLOWED cannot be null']);
  });
});

describe('validators', () => {
  const number = { min: null, max: null, step: null, mod: null, even: false, odd: false, message: '' };
  const length = { min: null, max: null, equals: null, message: '' };

  it('are all checked, in described order, for all parameters', () => {
    const validators: Validators = {
      length: { ...length, min: 3, message: 'too short' },
      format: { rx: '\\A[a-z]+\\z', match: true, description: null, message: "'%{value}' is bad, %{value}!" },
      include: { values: [{ value: 'abc', label: null }], message: '%{value} cannot be used' },
      custom: 'left to the server',
    };
    const parameters = [parameter('a', 'String', { validators }), parameter('b', 'Integer')];
    expect(failuresOf(parameters, { b: 'x', a: '$&' })).toEqual([
      'a TOO_SHORT too short',
      "a FORMAT '$&' is bad, $&!",
      'a NOT_INCLUDED $& cannot be used',
      'b TYPE_MISMATCH not a valid integer: "x"',
    ]);
  });

  it('check the value after its conversion by type', () => {
    const include = { values: [{ value: 4, label: null }], message: '%{value}' };
    expect(one('Integer', ' 4 ', { validators: { include } })).toEqual([]);
    expect(one('Integer', ' 5 ', { validators: { include } })).toEqual(['x NOT_INCLUDED 5']);
    expect(one('Float', 1e20, { validators: { include } })).toEqual(['x NOT_INCLUDED 1.0e+20']);
    expect(one('Float', 5, { validators: { include } })).toEqual(['x NOT_INCLUDED 5.0']);
    expect(one('Boolean', 'yes', { validators: { include } })).toEqual(['x NOT_INCLUDED true']);
  });

  it('accept the keys of a map that are not texts on the server', () => {
    const include = { values: [{ value: '4', label: 'four' }], message: '%{value}' };
    expect(checked('Integer', 4, { include })).toEqual([]);
    expect(checked('Integer', 5, { include })).toEqual(['NOT_INCLUDED']);
  });

  it('leave a text that reads like a described number to the server', () => {
    const values = [1, 2.5].map((value) => ({ value, label: null }));
    const include = { values, message: '%{value}' };
    expect(checked('String', '1', { include })).toEqual([]);
    expect(checked('String', '2.5', { include })).toEqual([]);
    expect(checked('String', '3', { include })).toEqual(['NOT_INCLUDED']);
  });

  it.each<[Partial<NonNullable<Validators['number']>>, unknown, string[]]>([
    [{ min: 5 }, 4, ['TOO_SMALL']],
    [{ max: 5 }, '6', ['TOO_LARGE']],
    [{ min: 5, max: 9, step: 2 }, 8, ['STEP']],
    [{ min: 5, step: 2 }, 9, []],
    [{ step: 0.5 }, 2, []],
    [{ mod: 3 }, -6, []],
    [{ even: true }, -3, ['STEP']],
    [{ odd: true }, -3, []],
    [{ odd: true }, 0, ['STEP']],
    [{ max: 2 ** 64 }, 18446744073709551616n, []],
    [{ max: 10 }, 18446744073709551616n, ['TOO_LARGE']],
  ])('numbers by %j: %s', (rule, value, codes) => {
    expect(checked('Integer', value, { number: { ...number, ...rule } })).toEqual(codes);
  });

  it('accept texts as numbers only when they are digits', () => {
    const rule = { ...number, min: 3 };
    expect(checked('String', '12', { number: rule })).toEqual([]);
    expect(checked('String', '-12', { number: rule })).toEqual(['TYPE_MISMATCH']);
    expect(checked('String', '12\n', { number: rule })).toEqual(['TYPE_MISMATCH']);
  });

  it('count code points, not code units', () => {
    expect(checked('String', '😀😀😀', { length: { ...length, equals: 3 } })).toEqual([]);
    expect(checked('String', '😀😀', { length: { ...length, equals: 3 } })).toEqual(['WRONG_LENGTH']);
    expect(checked('String', 'abcd', { length: { ...length, min: 1, max: 3 } })).toEqual(['TOO_LONG']);
    expect(checked('Custom', [1], { length: { ...length, min: 2 } })).toEqual(['TOO_SHORT']);
    expect(checked('Integer', 1, { length: { ...length, min: 1 } })).toEqual(['WRONG_LENGTH']);
  });

  it('compare values with described ones as Ruby does', () => {
    const accept = (value: unknown): Validators => ({ accept: { value, message: '' } });
    expect(checked('Custom', { a: [1, 'b'] }, accept({ a: [1, 'b'] }))).toEqual([]);
    expect(checked('Custom', { a: [1] }, accept({ a: [2] }))).toEqual(['NOT_ACCEPTED']);
    expect(checked('Float', 1, accept(1))).toEqual([]);
    expect(checked('String', '1', accept(1))).toEqual(['NOT_ACCEPTED']);
    expect(checked('Boolean', false, accept(true))).toEqual(['NOT_ACCEPTED']);
    expect(checked('Datetime', '2020-01-31', accept('2020-01-31'))).toEqual([]);
    const exclude = { values: [5, 2 ** 60], message: '' };
    expect(checked('Integer', '5', { exclude })).toEqual(['EXCLUDED']);
    expect(checked('Integer', 2 ** 60, { exclude })).toEqual([]);
  });

  it('compare with the converted value of the other parameter', () => {
    const confirm = (equal: boolean): Validators => ({ confirm: { equal, parameter: 'a', message: 'no' } });
    const pair = (a: Partial<ValueParameter>, equal = true): Parameter[] => [
      parameter('b', 'Datetime', { validators: confirm(equal) }),
      parameter('a', 'Datetime', a),
    ];
    const b = '2020-01-31T10:00Z';
    expect(failuresOf(pair({}), { b, a: '2020-01-31T12:00:00.000+02:00' })).toEqual([]);
    expect(failuresOf(pair({}), { b, a: '2020-01-31T12:00:00.001+02:00' })).toEqual(['b CONFIRMATION no']);
    expect(failuresOf(pair({}), { b })).toEqual(['b CONFIRMATION no']);
    expect(failuresOf(pair({}, false), { b })).toEqual([]);
    expect(failuresOf(pair({ nullable: true }), { b, a: null })).toEqual(['b CONFIRMATION no']);
    expect(failuresOf(pair({ default: b }), { b })).toEqual([]);
    expect(failuresOf(pair({}), { b, a: '10:00' })).toEqual([]);
    expect(failuresOf(pair({}), { b, a: 'x' })).toHaveLength(2);
  });

  it('that cannot be checked here are reported once and left to the server', () => {
    const reports: string[] = [];
    const validators: Validators = {
      format: { rx: '(?>a)', match: true, description: null, message: '' },
      confirm: { equal: true, parameter: 'gone', message: '' },
      number: { ...number, step: 0 },
    };
    const validate = compileValidation([parameter('x', 'String', { validators })], (name, reason) =>
      reports.push(`${name} ${reason}`),
    );
    expect(validate({ x: 'b' })).toEqual([]);
    expect(validate({ x: 'c' })).toEqual([]);
    expect(reports).toEqual([
      'x format: the regular expression is not one of the simple ones that are checked here; left to the server',
      'x confirm: there is no parameter gone; left to the server',
      'x number: a step of 0; left to the server',
    ]);
  });
});
