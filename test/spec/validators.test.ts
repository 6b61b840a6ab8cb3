// Tests how the facade and the sandbox check each validator.
import { expect, it } from 'vitest';
import { InvalidInput, readParameters } from '../../packages/sandbox/src/engine/read-input.ts';
import type { Validators } from '../../packages/sandbox/src/engine/validate-value.ts';
import { describeValidators } from '../../packages/sandbox/src/engine/validate-value.ts';
import { action, type Raw, type RawParameters, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

const GRAPHQL: Readonly<Record<string, string>> = { String: 'String', Integer: 'SafeInt', Float: 'Float' };

/** A parameter with validators, as a server describes them. */
const described = (type: string, validators: Raw): Raw => ({
  type,
  label: 'x',
  validators,
  required: false,
  default: null,
});

/** An API with one write, `thingMake`, that takes these parameters. */
const openMaker = (input: RawParameters) =>
  openDescribed(
    { thing: resource({ make: action({ method: 'POST', path: '/things', namespace: 'thing', input }) }) },
    { 'thing#make': () => ok({}) },
  );

type Made = { readonly thingMake: { readonly userErrors: readonly { readonly message: string }[] } };

/** Asks the facade, of an API that describes this validator as the sandbox would; its words, and how often the API was called. */
async function throughGraphQL(
  type: string,
  validators: Validators,
  value: unknown,
): Promise<readonly [string[], number]> {
  const x = described(type, describeValidators(validators) as Raw);
  await using api = await openMaker({ x, y: x });
  const { data, errors } = await api.ask<Made>(
    `mutation ($x: ${GRAPHQL[type]}) { thingMake(input: { x: $x }) { userErrors { message } } }`,
    { variables: { x: value } },
  );
  const said = [...errors, ...(data?.thingMake.userErrors ?? [])].map(({ message }) => message);
  return [said, api.upstream.calls.length];
}

/** Asks the sandbox's own reading of it. */
function atTheSandbox(type: string, validators: Validators, value: unknown): readonly string[] {
  try {
    readParameters({ x: { type: type as 'String', validators } }, { x: value }, () => false);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.errors['x'] ?? [];
    throw error;
  }
}

/** What a validator does, by row: `number/min` is one of the validator `number`. */
type Case = [row: string, rule: string, type: string, Validators, taken: unknown[], refused: unknown[]];

const cases: readonly Case[] = [
  ['accept', 'accepts only its value', 'String', { accept: { value: 'yes' } }, ['yes'], ['no']],
  ['present', 'refuses blank values', 'String', { present: { empty: false } }, ['x', ' x '], ['', ' \n']],
  [
    'present/may-be-empty',
    'with empty accepts empty values',
    'String',
    { present: { empty: true } },
    ['', 'x'],
    [],
  ],
  [
    'exclude',
    'refuses the values of its list',
    'String',
    { exclude: { values: ['a', 'b'] } },
    ['c'],
    ['a', 'b'],
  ],
  [
    'format',
    'accepts only what matches',
    'String',
    { format: { rx: '\\A[a-c]+\\z' } },
    ['abc'],
    ['abd', 'x\nabc'],
  ],
  [
    'format/no-match',
    'with match false accepts only what does not match',
    'String',
    { format: { rx: 'a', match: false } },
    ['b'],
    ['ab'],
  ],
  [
    'length',
    'has a minimum and a maximum',
    'String',
    { length: { min: 2, max: 3 } },
    ['ab', 'abc'],
    ['a', 'abcd'],
  ],
  [
    'length/equals',
    'may require an exact length',
    'String',
    { length: { equals: 2 } },
    ['ab', 'žč'],
    ['a', 'abc'],
  ],
  ['number/min', 'has a minimum', 'Integer', { number: { min: 3 } }, [3, 4], [2, -1]],
  ['number/max', 'has a maximum', 'Float', { number: { max: 3 } }, [3, 2.5], [3.5]],
  [
    'number/step',
    'requires steps from its minimum',
    'Integer',
    { number: { min: 1, step: 3 } },
    [1, 4],
    [2, 3],
  ],
  ['number/mod', 'requires a multiple of its divisor', 'Integer', { number: { mod: 5 } }, [0, 10], [4]],
  ['number/even', 'may require even numbers', 'Integer', { number: { even: true } }, [2], [3]],
  ['number/odd', 'may require odd numbers', 'Integer', { number: { odd: true } }, [3], [2]],
];

for (const [row, rule, type, validators, taken, refused] of cases) {
  it(`[validator/${row}] the validator ${row.split('/')[0]} ${rule}`, async () => {
    for (const value of taken) {
      expect(atTheSandbox(type, validators, value)).toEqual([]);
      expect(await throughGraphQL(type, validators, value)).toEqual([[], 1]);
    }
    for (const value of refused) {
      const said = atTheSandbox(type, validators, value);
      expect(said).toHaveLength(1);
      const [told, calls] = await throughGraphQL(type, validators, value);
      // The quirk of accept: the API's answer holds the refused value, its description the accepted one.
      if (!validators.accept) expect(told).toEqual(said);
      expect([told.length, calls]).toEqual([1, 0]);
    }
  });
}

it('[validator/confirm] the validator confirm accepts two parameters that are equal, or that differ', async () => {
  for (const equal of [true, false]) {
    const confirm = { parameter: 'x', equal };
    const parameters = { x: { type: 'String' }, y: { type: 'String', validators: { confirm } } } as const;
    await using api = await openMaker({
      x: described('String', {}),
      y: described('String', describeValidators({ confirm }) as Raw),
    });
    for (const y of ['same', 'other']) {
      const refused = (y === 'same') !== equal;
      const read = () => readParameters(parameters, { x: 'same', y }, () => false);
      if (refused) expect(read).toThrow(InvalidInput);
      else expect(read).not.toThrow();
      api.upstream.calls.length = 0;
      const { data } = await api.ask<Made>(
        `mutation { thingMake(input: { x: "same", y: "${y}" }) { userErrors { message } } }`,
      );
      expect([data?.thingMake.userErrors.length, api.upstream.calls.length]).toEqual(
        refused ? [1, 0] : [0, 1],
      );
    }
  }
});

it('[validator/custom] the facade leaves the validator custom to the server', async () => {
  await using api = await openMaker({ x: described('String', { custom: { description: 'server-side' } }) });
  const { data } = await api.ask(
    'mutation { thingMake(input: { x: "anything" }) { userErrors { message } } }',
  );
  expect([data, api.upstream.calls.length]).toEqual([{ thingMake: { userErrors: [] } }, 1]);
});

for (const [layout, values] of [
  ['list', ['odd one', 'b']],
  ['map', { 'odd one': 'Odd', b: 'B' }],
] as const) {
  it(`[validator/include/${layout}] the validator include accepts only the values of its ${layout}`, async () => {
    const include = { values, message: '%{value} cannot be used' };
    await using api = await openMaker({ x: described('String', { include }) });
    const make = async (value: string) =>
      (await api.ask(`mutation { thingMake(input: { x: ${value} }) { userErrors { message } } }`)).errors
        .length;
    expect([await make('ODD_ONE'), await make('B'), await make('C')]).toEqual([0, 0, 1]);
    expect(api.upstream.calls.map(({ body }) => body)).toEqual([
      { thing: { x: 'odd one' } },
      { thing: { x: 'b' } },
    ]);
    expect(atTheSandbox('String', { include: { values: ['odd one', 'b'] } }, 'c')).toEqual([
      'c cannot be used',
    ]);
  });
}
