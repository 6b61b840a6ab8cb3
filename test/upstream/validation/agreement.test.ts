// Tests that facade and sandbox accept and reject the same inputs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindApi } from '../../../packages/sandbox/src/engine/api.ts';
import type { Parameters, TypedParameter } from '../../../packages/sandbox/src/engine/definition.ts';
import { describeAction } from '../../../packages/sandbox/src/engine/describe-api.ts';
import { InvalidInput, readInput } from '../../../packages/sandbox/src/engine/read-input.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { compileValidation } from '../../../src/upstream/validation/validators.ts';
import { describeApi } from '../../helpers/describe-api.ts';

const small = fc.integer({ min: -20, max: 40 });
const word = fc.constantFrom(
  'a',
  'b',
  'ab',
  'yes',
  'no',
  '5',
  '12',
  '',
  ' ',
  'ž',
  '😀😀',
  'a b',
  '-1',
  'TRUE',
  '2020-02-29',
  '2021-02-29',
);
const value = fc.oneof(
  word,
  small,
  fc.constantFrom(-0.5, 1.5, 12.25, 30.5),
  fc.boolean(),
  fc.constant(null),
  // Only newer versions of Ruby read '1.' as a float.
  fc.string({ maxLength: 6 }).filter((text) => !/\d\.(?!\d)/.test(text)),
);

/** Regular expressions that the facade does not translate. */
const LEFT_TO_SERVER = ['[[:alpha:]]', '\\A(?i)yes\\z'];

/** Validators for each type, as in the definitions of a server. */
const validators = fc.record(
  {
    include: fc.record({ values: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }) }),
    exclude: fc.record({ values: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }) }),
    length: fc.oneof(
      fc.record({ min: fc.nat(3) }),
      fc.record({ max: fc.nat(3) }),
      fc.record({ equals: fc.integer({ min: 1, max: 3 }) }),
    ),
    number: fc.record(
      { min: small, max: small, step: fc.integer({ min: 1, max: 5 }), mod: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: [] },
    ),
    format: fc.record({
      rx: fc.constantFrom(
        '\\A[a-z]+\\z',
        '^a',
        'b$',
        '\\d',
        '\\A\\w*\\Z',
        '\\A([a-z0-9][a-z0-9\\-]{0,2} ?)+\\z',
        ...LEFT_TO_SERVER,
      ),
      match: fc.boolean(),
    }),
    present: fc.record({ empty: fc.boolean() }),
  },
  { requiredKeys: [] },
);

const parameter = fc
  .record({
    type: fc.constantFrom('String', 'Text', 'Integer', 'Float', 'Boolean', 'Datetime'),
    required: fc.boolean(),
    nullable: fc.boolean(),
    validators,
  })
  // Real descriptions have no choices or formats for times, and each server prints times and floats differently.
  .map((made) => {
    if (made.type === 'Datetime') return { ...made, validators: {} };
    const { number, present } = made.validators;
    const plain = { ...(number ? { number } : {}), ...(present ? { present } : {}) };
    return made.type === 'Float' ? { ...made, validators: plain } : made;
  }) as fc.Arbitrary<TypedParameter>;

function isFormatLeft(parameters: Parameters, name: string): boolean {
  const parameter = parameters[name];
  if (parameter === undefined || parameter.type === 'Resource') return false;
  return LEFT_TO_SERVER.includes(parameter.validators?.format?.rx ?? '');
}

/** Returns the errors of the sandbox for an input, by parameter. */
function validateInSandbox(
  parameters: Parameters,
  input: Record<string, unknown>,
): Record<string, readonly string[]> {
  try {
    readInput({ layout: 'object', namespace: 'thing', parameters }, { thing: input }, () => true);
    return {};
  } catch (error) {
    if (error instanceof InvalidInput) return error.errors;
    throw error;
  }
}

/** Returns the errors of the facade, which knows only the description. */
function validateInFacade(
  parameters: Parameters,
  input: Record<string, unknown>,
): Record<string, readonly string[]> {
  const execute = () => ({ ok: true as const, items: [] });
  const actions = { run: { execute, method: 'POST' as const, input: { parameters } } };
  const api = bindApi('1', { thing: { output: {}, actions } }, {}, { includes: false, count: false });
  const [action] = api.actions;
  if (action === undefined) throw new Error('no action');
  const raw: unknown = JSON.parse(JSON.stringify(describeAction(api, action, 'everything')));
  const parsed = parseDescription(
    describeApi({ thing: { description: null, actions: { run: raw }, resources: {} } }),
  );
  const described = parsed.resources[0]?.actions[0]?.input.parameters ?? [];
  expect(described).toHaveLength(Object.keys(parameters).length);
  const validate = compileValidation(described, (name, reason) => {
    if (!isFormatLeft(parameters, name)) throw new Error(`${name}: ${reason}`);
  });
  const failures = validate(input);
  const errors: Record<string, string[]> = {};
  for (const { parameter: name, message } of failures) errors[name] = [...(errors[name] ?? []), message];
  return errors;
}

/** Removes the refusals that the facade leaves to the server: only formats that it does not translate. */
function withoutFormatsLeft(parameters: Parameters, errors: Record<string, readonly string[]>) {
  const kept: Record<string, readonly string[]> = {};
  for (const [name, messages] of Object.entries(errors)) {
    const others = messages.filter((message) => !message.endsWith(' is not in a valid format'));
    if (!isFormatLeft(parameters, name)) kept[name] = messages;
    else if (others.length > 0) kept[name] = others;
  }
  return kept;
}

/** Sorts messages, because the order of one parameter's messages is unspecified. */
const sorted = (errors: Record<string, readonly string[]>) =>
  Object.fromEntries(Object.entries(errors).map(([name, messages]) => [name, [...messages].sort()]));

describe('the facade and the sandbox', () => {
  it('accept and reject the same inputs with the same messages', () => {
    fc.assert(
      fc.property(
        parameter,
        parameter,
        fc.record({ x: value, y: value }, { requiredKeys: [] }),
        (x, y, input) => {
          const confirm = x.type === 'Datetime' ? {} : { confirm: { parameter: 'x', equal: true } };
          const parameters: Parameters = { x, y: { ...y, validators: { ...y.validators, ...confirm } } };
          const facade = validateInFacade(parameters, input);
          const sandbox = validateInSandbox(parameters, input);
          // If a value is rejected, the result of `confirm` depends on the server.
          if (sandbox['x'] !== undefined) for (const errors of [facade, sandbox]) delete errors['y'];
          expect(sorted(facade)).toEqual(sorted(withoutFormatsLeft(parameters, sandbox)));
        },
      ),
      { numRuns: 1_000, seed: 20_261_121 },
    );
  });
});
