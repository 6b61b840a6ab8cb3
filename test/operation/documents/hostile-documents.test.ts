// Tests documents that could exhaust the server.
import { describe, expect, it } from 'vitest';
import { action, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

const TOO_MANY_CHARACTERS = 'The document has more than 262144 characters. Send long values as variables.';
const TOO_MANY_DIRECTIVES = 'The document has 251 directives; at most 250 are allowed. Split it.';

describe('a document', () => {
  const D = { id: 'Integer', parent: refersTo(['d'], 'name') } as const;
  const answer = { 'd#show': () => ok({ d: { id: 1, parent: null } }) };

  it('whose fragments double at each level takes time in proportion to its length', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const levels = 28;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on D { parent { ...F${level + 1} ...F${level + 1} } }`,
    );
    const query = `{ d(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${levels} on D { id }`;
    expect((await at.ask(query)).data).toEqual({ d: { parent: null } });
  });

  it('whose fragments double through two associations requests a limited number of includes', async () => {
    const E = { ...D, other: refersTo(['d'], 'name') } as const;
    const shown = action({ path: '/ds/{d_id}', namespace: 'd', output: E, meta: ['includes'] });
    await using at = await openDescribed({ d: resource({ show: shown }) }, answer);
    const levels = 12;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on D { parent { ...F${level + 1} } other { ...F${level + 1} } }`,
    );
    const query = `{ d(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${levels} on D { id }`;
    expect((await at.ask(query)).data).toEqual({ d: { parent: null, other: null } });
    const includes = at.upstream.calls[0]?.query.get('_meta[includes]') ?? '';
    expect(includes.split(',').length).toBeLessThanOrEqual(100);
  });

  it('that is too deeply nested or too long is refused before it is parsed', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const deep = `{ d(id: 1) ${'{ parent '.repeat(5_000)}{ id }${' }'.repeat(5_000)} }`;
    const long = `{ ${'d(id: 1) { id } '.repeat(5_000)} }`;
    for (const [query, message] of [
      [`{ d(id: "${'x'.repeat(262_144)}") { id } }`, TOO_MANY_CHARACTERS],
      [`${'#\n'.repeat(10_000)} { __typename }`, 'The document has more than 10000 lines.'],
      [`{ ${'x'.repeat(257)} }`, 'The document has a name of more than 256 characters.'],
      [`{ ${'__typename @a '.repeat(251)} }`, TOO_MANY_DIRECTIVES],
      [deep, 'The document is nested more than 200 levels deep.'],
      [long, 'The document has more than 20000 tokens.'],
    ] as const) {
      const { errors } = await at.ask(query);
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('with many errors is told of a few', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    for (const query of [
      `{ __typename ${'@a '.repeat(10)} }`,
      `{ d(id: 1) { ${'nothing '.repeat(500)} } }`,
    ]) {
      const { errors } = await at.ask(query);
      expect(errors).toHaveLength(6);
      expect(errors.at(-1)?.message).toMatch(/^Too many validation errors/);
    }
  });

  it('with too many values in its variables is refused', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    for (const ids of [Array(20_000).fill('1'), [Array(20_000).fill([])]]) {
      const { errors } = await at.ask('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
        variables: { ids },
      });
      expect(errors).toMatchObject([{ message: 'The variables have more than 20000 values. Split them.' }]);
    }
  });

  it('with too many values in its extensions is refused', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const response = await at.facade.yoga.fetch('http://facade.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }', extensions: { values: Array(20_000).fill({}) } }),
    });
    expect(await response.json()).toMatchObject({
      errors: [{ message: 'The extensions have more than 20000 values. Split them.' }],
    });
  });

  it('with too many levels in its variables is refused', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    for (const query of ['{ __typename }', 'query @live { __typename }']) {
      const deep: unknown = JSON.parse(`${'['.repeat(550)}${']'.repeat(550)}`);
      const { errors } = await at.ask(query, { variables: { deep } });
      expect(errors).toMatchObject([{ message: 'The variables have more than 500 levels.' }]);
    }
  });
});
