// Tests documents that could exhaust the server.
import { describe, expect, it } from 'vitest';
import { action, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

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
    const levels = 10;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on D { parent { ...F${level + 1} } other { ...F${level + 1} } }`,
    );
    const query = `{ d(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${levels} on D { id }`;
    expect((await at.ask(query)).data).toEqual({ d: { parent: null, other: null } });
    const includes = at.upstream.calls[0]?.query.get('_meta[includes]') ?? '';
    expect(includes.split(',').length).toBeLessThanOrEqual(100);
  });

  it('that is too deeply nested is refused', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const deep = `{ d(id: 1) ${'{ parent '.repeat(5_000)}{ id }${' }'.repeat(5_000)} }`;
    const { errors } = await at.ask(deep);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('with many errors gets a few', async () => {
    await using at = await openDescribed({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    for (const query of [
      `{ __typename ${'@a '.repeat(40)} }`,
      `{ d(id: 1) { ${Array.from({ length: 500 }, (_, index) => `nothing${index}`).join(' ')} } }`,
    ]) {
      const { errors } = await at.ask(query);
      expect(errors).toHaveLength(21);
      expect(errors.at(-1)?.message).toMatch(/^Too many validation errors/);
    }
  });
});
