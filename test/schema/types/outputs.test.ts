// Tests how described values are converted.

import { describe, expect, it } from 'vitest';
import { list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok, raw } from '../../helpers/stub-upstream.ts';

describe('a text parameter with numeric choices', () => {
  it('is an enum, and each of its values can be sent', async () => {
    const size = { type: 'String', label: 'x', validators: { include: { values: [1, 2], message: 'no' } } };
    await using at = await openDescribed(
      { thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { input: { size } }) }) },
      { 'thing#index': () => ok({ things: [] }) },
    );
    const { errors } = await at.ask('{ things(filter: { size: SIZE_2 }) { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(at.upstream.calls[0]?.query.get('thing[size]')).toBe('2');
  });
});

describe('a date and time', () => {
  it('is accepted only in the formats of the protocol', async () => {
    await using at = await openDescribed(
      {
        thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { input: { at: 'Datetime' } }) }),
      },
      { 'thing#index': () => ok({ things: [] }) },
    );
    const codes = async (value: string) =>
      (await at.ask(`{ things(filter: { at: "${value}" }) { nodes { id } } }`)).errors.map(
        ({ extensions }) => extensions['code'],
      );
    for (const good of [
      '2020-01-31',
      '20200131',
      '2020-01-31T10:20:30Z',
      '2020-01-31T10:20:30.5+01:00',
      '2020-01-31T10:20Z',
    ])
      expect([good, await codes(good)]).toEqual([good, []]);
    for (const bad of [
      '10:20',
      '-W-1',
      '-001',
      '2020-0131',
      ' 2020-01-31',
      '2020-01-31T10:20:30',
      '2020-01-31T10:20:30+25:00',
      '2020-01-31T10:20:30-01:60',
      '2021-02-29',
      'now',
      '',
    ])
      expect([bad, await codes(bad)]).toEqual([bad, ['BAD_USER_INPUT']]);
  });
});

describe('an integer that JavaScript rounds', () => {
  it('is text with all digits in text fields, and an error in JSON fields', async () => {
    const output = { id: 'Integer', name: 'String', at: 'Datetime', free: 'Custom', good: 'Custom' } as const;
    await using at = await openDescribed(
      { thing: resource({ show: show('thing', 'things', output) }) },
      {
        'thing#show': () =>
          raw(
            '{"status":true,"response":{"thing":{"id":1,"name":9007199254740993,"at":9007199254740993,"free":{"a":[9007199254740993]},"good":{"a":[1.5,1e3]}}}}',
            200,
            'application/json',
          ),
      },
    );
    const { data, errors } = await at.ask('{ thing(id: 1) { id name at free good } }');
    expect(data).toEqual({
      thing: {
        id: 'thing/1',
        name: '9007199254740993',
        at: '9007199254740993',
        free: null,
        good: { a: [1.5, 1000] },
      },
    });
    expect(errors).toMatchObject([
      { path: ['thing', 'free'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
  });

  it('has all digits in a label', async () => {
    const owner = refersTo(['user'], 'number');
    await using at = await openDescribed(
      { thing: resource({ show: show('thing', 'things', { id: 'Integer', owner }) }) },
      {
        'thing#show': () =>
          raw(
            '{"status":true,"response":{"thing":{"id":1,"owner":{"id":2,"number":9007199254740993}}}}',
            200,
            'application/json',
          ),
      },
    );
    const { data, errors } = await at.ask('{ thing(id: 1) { owner { id label } } }');
    expect(data).toEqual({ thing: { owner: { id: 'user/2', label: '9007199254740993' } } });
    expect(errors).toEqual([]);
  });
});
