// Tests Integer parameters beyond 2^53−1.
import { describe, expect, it } from 'vitest';
import {
  action,
  list,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ask } from '../../helpers/facade.ts';
import { raw } from '../../helpers/stub-upstream.ts';

const MAX = '18446744073709551615';
const NETWORK = { id: 'Integer', size: 'Integer', used: 'Integer', note: 'String', extra: 'Custom' } as const;
const bounded = (min: number, max: number): Raw => ({
  ...{ type: 'Integer', label: 'Size' },
  validators: { number: { min, max, message: 'is out of range' } },
});

/** Describes networks, and hosts that refer to them. */
const api = (size: string | Raw = 'Integer'): Raw => {
  const input: RawParameters = { size };
  return {
    network: resource({
      index: list('network', 'networks', NETWORK, { input }),
      show: show('network', 'networks', NETWORK),
      update: action({
        ...{ path: '/networks/{network_id}', method: 'PUT', namespace: 'network' },
        ...{ input, output: NETWORK },
      }),
    }),
    host: resource({
      index: list(
        ...(['host', 'hosts', { id: 'Integer', network: refersTo(['network'], 'note') }] as const),
        { meta: ['includes'] },
      ),
    }),
  };
};

const envelope = (response: string) => raw(`{"status":true,"response":${response}}`, 200, 'application/json');
const network = (id: number, size: string, more = '') => `{"id":${id},"size":${size},"used":${id}${more}}`;
const meta = '"_meta":{"resolved":true,"path_params":[1]}';
const HANDLERS = {
  'network#index': () =>
    envelope(
      `{"networks":[${network(1, '79228162514264337593543950336')},${network(2, '256')},${network(3, '-9007199254740993')},${network(4, 'null')}]}`,
    ),
  'network#update': ({ text }: { text: string }) =>
    envelope(`{"network":${network(1, /"size":([^},]+)/.exec(text)?.[1] ?? 'null')}}`),
  'host#index': () => envelope(`{"hosts":[{"id":1,"network":${network(1, MAX, `,"note":"a",${meta}`)}}]}`),
};
const OVERRIDES = { overrides: { bigInts: ['Network.size'] } };
const SIZES = '{ networks { nodes { size used } } }';

describe('a parameter that the overrides name', () => {
  it('has all digits in each row', async () => {
    await using at = await openDescribed(api(), HANDLERS, OVERRIDES);
    const { data, errors } = await at.ask(SIZES);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      networks: {
        nodes: [
          { size: '79228162514264337593543950336', used: 1 },
          { size: '256', used: 2 },
          { size: '-9007199254740993', used: 3 },
          { size: null, used: 4 },
        ],
      },
    });
    expect(at.upstream.calls).toHaveLength(1);
  });

  it('has all digits in an included object', async () => {
    await using at = await openDescribed(api(), HANDLERS, OVERRIDES);
    const { data } = await at.ask('{ hosts { nodes { network { size } } } }');
    expect(data).toEqual({ hosts: { nodes: [{ network: { size: MAX } }] } });
    expect(at.upstream.calls).toHaveLength(1);
  });

  it('is sent as a number with all digits', async () => {
    await using at = await openDescribed(api(), HANDLERS, OVERRIDES);
    const { data, errors } = await at.ask(
      `mutation { networkUpdate(id: 1, input: { size: "${MAX}" }) { network { size } } }`,
    );
    expect([errors, data]).toEqual([[], { networkUpdate: { network: { size: MAX } } }]);
    expect(at.upstream.calls.at(-1)?.text).toBe(`{"network":{"size":${MAX}}}`);
    await at.ask(`mutation { networkUpdate(id: 1, input: { size: -${MAX} }) { network { size } } }`);
    expect(at.upstream.calls.at(-1)?.text).toBe(`{"network":{"size":-${MAX}}}`);
    await at.ask('mutation { networkUpdate(id: 1, input: { size: 5 }) { network { size } } }');
    expect(at.upstream.calls.at(-1)?.text).toBe('{"network":{"size":5}}');
  });

  it('filters a list', async () => {
    await using at = await openDescribed(api(), HANDLERS, OVERRIDES);
    const { errors } = await at.ask(
      `{ a: networks(filter: { size: "${MAX}" }) { nodes { used } } b: networks(filter: { size: "${MAX}1" }) { nodes { used } } }`,
    );
    expect(errors).toEqual([]);
    expect(at.upstream.calls.map(({ query }) => query.get('network[size]'))).toEqual([MAX, `${MAX}1`]);
  });

  it.each([
    ['"007"', '"007"'],
    ['"1.5"', '"1.5"'],
    ['"+1"', '"+1"'],
    ['" 1"', '" 1"'],
    ['"0x10"', '"0x10"'],
    ['"-0"', '"-0"'],
    ['1e3', '1.5'],
    ['true', 'true'],
    [`"${'1'.repeat(1001)}"`, `"${'1'.repeat(1001)}"`],
    // A variable that is a number has lost its digits.
    ['"1e30"', '18446744073709551616'],
  ])('refuses %s', async (literal, variable) => {
    await using at = await openDescribed(api(), HANDLERS, OVERRIDES);
    const update = (value: string) => `networkUpdate(id: 1, input: { size: ${value} }) { network { size } }`;
    const results = [
      await at.ask(`mutation { ${update(literal)} }`),
      await ask(at.facade, `mutation ($size: BigInt) { ${update('$size')} }`, {
        variables: { size: JSON.parse(variable) },
        headers: { 'x-library-token': 'reader' },
      }),
    ];
    for (const { errors } of results)
      expect(errors[0]?.message).toContain('BigInt expects a string of decimal digits');
    expect(at.upstream.calls).toEqual([]);
  });
});

describe('a parameter with bounds beyond 2^53−1', () => {
  it('is BigInt in inputs and outputs, and its bounds are checked', async () => {
    await using at = await openDescribed(api(bounded(0, 2 ** 64)), HANDLERS);
    const type = (name: string) =>
      `{ __type(name: "${name}") { fields { name type { name } } inputFields { name type { name } } } }`;
    const [output, input, filter] = await Promise.all(
      ['Network', 'NetworkUpdateInput', 'NetworkFilter'].map((name) => at.ask(type(name))),
    );
    const size = { name: 'size', type: { name: 'BigInt' } };
    expect(output?.data?.['__type']).toMatchObject({ fields: expect.arrayContaining([size]) });
    expect(input?.data?.['__type']).toMatchObject({ inputFields: [size] });
    expect(filter?.data?.['__type']).toMatchObject({ inputFields: [size] });
    const { data } = await at.ask(
      'mutation { networkUpdate(id: 1, input: { size: "79228162514264337593543950336" }) { userErrors { code } } }',
    );
    expect(data).toEqual({ networkUpdate: { userErrors: [{ code: 'TOO_LARGE' }] } });
    expect(at.upstream.calls).toEqual([]);
  });

  it('is SafeInt with smaller bounds, and the schema has no BigInt', async () => {
    await using at = await openDescribed(api(bounded(0, Number.MAX_SAFE_INTEGER)), HANDLERS);
    const { data } = await at.ask('{ __type(name: "BigInt") { name } }');
    expect(data).toEqual({ __type: null });
  });
});

describe('an integer beyond 2^53−1 in a parameter that is not BigInt', () => {
  it('is an error in its row that names the override', async () => {
    await using at = await openDescribed(api(), HANDLERS);
    const { data, errors } = await at.ask(SIZES);
    expect(data).toMatchObject({
      networks: { nodes: [{ size: null }, { size: 256 }, { size: null }, { size: null }] },
    });
    expect(errors.map(({ message }) => message)).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'The management API returned a number for size, which cannot be converted to Integer without loss. If it is usual, set "bigInts": ["Network.size"] in the overrides.',
      ),
    );
  });
});

it('reads digits in texts, fractions and exponents beside a long integer as JSON does', async () => {
  const extra = '[0.12345678901234567890,-1.5e-1,"\\u00e9\\n",{"__proto__":1,"a":1,"a":2}]';
  const row = `{"id":1,"size":12,"note":"\\"1234567890123456789","extra":${extra},"used":${MAX}}`;
  await using at = await openDescribed(api(), { 'network#show': () => envelope(`{"network":${row}}`) });
  const { data, errors } = await at.ask('{ network(id: 1) { size note extra } }');
  expect(errors).toEqual([]);
  expect(JSON.stringify(data)).toBe(
    `{"network":{"size":12,"note":"\\"1234567890123456789","extra":${JSON.stringify(JSON.parse(extra))}}}`,
  );
});
