// Tests that the SDL of a subgraph composes with others.
import { composeServices } from '@theguild/federation-composition';
import { parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { NOTES } from '../../helpers/notes-subgraph.ts';
import { ACTION_STATE } from '../../helpers/running-actions.ts';
import { administratorsSDL, librarySDL, openSubgraph, sdlOf } from '../../helpers/subgraph-sdl.ts';

const compose = (sdls: Readonly<Record<string, string>>) => {
  const services = Object.entries(sdls).map(([name, sdl]) => ({
    name,
    url: `http://${name}/`,
    typeDefs: parse(sdl),
  }));
  const { supergraphSdl = '', errors = [] } = composeServices(services);
  return { supergraphSdl, errors: errors.map(({ message }) => message) };
};

/** Removes the root fields that each API has for itself. */
function withoutOwnFields(sdl: string): string {
  const document = visit(parse(sdl), {
    ObjectTypeDefinition(node) {
      if (node.name.value !== 'Query') return undefined;
      const isOwn = (name: string): boolean => ['node', 'nodes', 'session'].includes(name);
      return { ...node, fields: node.fields?.filter(({ name }) => !isOwn(name.value)) };
    },
  });
  return print(document);
}

describe('the SDL', () => {
  it('composes with a subgraph of another author, and keeps its directives', async () => {
    await using pair = await openSubgraph();
    const { supergraphSdl, errors } = compose({ api: await administratorsSDL(pair), notes: NOTES });
    expect(errors).toEqual([]);
    expect(supergraphSdl).toMatch(/^scalar DateTime .*@specifiedBy\(url: "https:\/\/www.w3.org/m);
    expect(supergraphSdl).toMatch(/datasets\([^)]*\): DatasetConnection .*@semanticNonNull/);
    expect(supergraphSdl).toContain(
      '@link(url: "https://specs.apollo.dev/nullability/v0.4", import: ["@semanticNonNull"])',
    );
  });

  it('composes with that of another API but for the three fields that each API has', async () => {
    await using pair = await openSubgraph();
    const sdls = { api: await administratorsSDL(pair), library: await librarySDL() };
    const { errors } = compose(sdls);
    expect(errors.map((message) => /Query\.\w+/.exec(message)?.[0]).sort()).toEqual([
      'Query.node',
      'Query.nodes',
      'Query.session',
    ]);
    expect(compose({ ...sdls, library: withoutOwnFields(sdls.library) }).errors).toEqual([]);
  });

  it('composes with that of another API with running actions, if one of them hides these', async () => {
    await using pair = await openSubgraph();
    const book = { index: list('book', 'books', { id: 'Integer' }) };
    const resources = { action_state: ACTION_STATE, book: resource(book) };
    const options = { federation: true, hide: ['action_state#*'] };
    await using other = await openDescribed(resources, {}, options);
    const sdl = withoutOwnFields(await sdlOf(other.facade, { 'x-library-token': 'reader' }));
    expect(compose({ api: await administratorsSDL(pair), other: sdl }).errors).toEqual([]);
  });
});
