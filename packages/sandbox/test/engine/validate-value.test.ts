// Tests the validators and the coercion of input, and compares them with the reference server.
import { describe, expect, test } from 'vitest';
import { type Json, sharedJson } from '../../../../test/helpers/sandbox-requests.ts';
import type { Parameters, TypedParameter } from '../../src/engine/definition.ts';
import { fromRubyRegExp } from '../../src/engine/from-ruby-regexp.ts';
import { effectiveValidators, InvalidInput, readParameters } from '../../src/engine/read-input.ts';
import { describeValidators } from '../../src/engine/validate-value.ts';

type Case = Readonly<Record<string, unknown>> & { readonly accepted: boolean };
type Described = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const answers = sharedJson('validator-answers.json');

/**
 * Creates a definition that should describe and behave as the parameter of the reference server. Only the messages of
 * bounds differ between the reference server and the specification.
 */
function definitionOf(described: Json): TypedParameter {
  const { type, required, nullable, validators } = described as unknown as Record<string, unknown>;
  const own = Object.entries(validators as Described).filter(([name]) => name !== 'present' || !required);
  const present = (validators as Described)['present'];
  if (required && present?.['empty']) own.push(['present', present]);
  const silent = own.map(([name, { message, ...rule }]) => [
    name,
    name === 'number' || name === 'length' ? { ...rule, message } : rule,
  ]);
  return {
    type: type as TypedParameter['type'],
    required: required === true,
    nullable: nullable === true,
    ...(silent.length > 0 ? { validators: Object.fromEntries(silent) } : {}),
  };
}

function read(parameters: Parameters, raw: Readonly<Record<string, unknown>>) {
  try {
    return { values: readParameters(parameters, raw, () => false), errors: null };
  } catch (error) {
    if (error instanceof InvalidInput) return { values: new Map(), errors: error.errors };
    throw error;
  }
}

/** JSON.parse rounds an integer above the safe range, so the value is no longer the one that was sent. */
const isExact = (value: unknown) => typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;

describe.skipIf(!answers)('typed and validated input agrees with the reference server', () => {
  const singles = (answers?.['single'] ?? []) as unknown as readonly {
    parameter: Json;
    cases: readonly Case[];
  }[];

  for (const { parameter, cases } of singles) {
    test(`on ${parameter['type']} ${JSON.stringify(parameter['validators'])}`, () => {
      const x = definitionOf(parameter);
      expect(describeValidators(effectiveValidators(x))).toEqual(parameter['validators']);
      for (const one of cases.filter(({ value }) => isExact(value))) {
        const { values, errors } = read({ x }, 'omitted' in one ? {} : { x: one['value'] });
        expect(errors === null, JSON.stringify(one)).toBe(one.accepted);
        if (!one.accepted) {
          expect(errors?.['x'], JSON.stringify(one)).toEqual(one['errors']);
        } else {
          const { given, value } = one['got'] as { given: boolean; value: unknown };
          expect(values.has('x')).toBe(given);
          const got: unknown = values.get('x') ?? null;
          const instant = (time: unknown) =>
            x.type === 'Datetime' && time !== null ? Date.parse(String(time)) : time;
          expect(instant(got), JSON.stringify(one)).toEqual(instant(value));
        }
      }
    });
  }

  test('for a confirmation', () => {
    const cases = answers?.['confirm']?.['cases'] as unknown as readonly Case[];
    const parameters = answers?.['confirm']?.['parameters'] ?? {};
    const definitions = Object.fromEntries(
      Object.entries(parameters).map(([name, described]) => [name, definitionOf(described)]),
    );
    for (const one of cases) {
      expect(read(definitions, one['input'] as Record<string, unknown>).errors, JSON.stringify(one)).toEqual(
        one['errors'],
      );
    }
  });
});

describe('input', () => {
  test('prints refused values as the reference server does', () => {
    const message = (value: unknown) => read({ x: { type: 'Integer' } }, { x: value }).errors?.['x'];
    expect(message({ a: [1, null, 'b'] })).toEqual(['not a valid integer: {"a" => [1, nil, "b"]}']);
  });
});

describe('Ruby regular expressions', () => {
  test('are translated with their groups, classes and flags', () => {
    expect(fromRubyRegExp('\\A(?:x|(?i:y))[[:digit:]\\-_]+\\z').test('Y1-_')).toBe(true);
    expect(fromRubyRegExp('\\A(?:x|(?i:y))z\\z').test('XZ')).toBe(false);
    expect(fromRubyRegExp('a.b').test('a\nb')).toBe(false);
    expect(fromRubyRegExp('^b$').test('a\nb\nc')).toBe(true);
    expect(fromRubyRegExp('\\A[^\\s@]+@[a-z\\d.-]+\\z').test('jan@example.test')).toBe(true);
  });

  test('are refused when they cannot be translated', () => {
    expect(() => fromRubyRegExp('[a&&b]')).toThrow('expected a plain character class in [a&&b]');
  });
});
