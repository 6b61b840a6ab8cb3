// Tests the SDL by which a subgraph of Apollo Federation describes itself.
import { composeServices } from '@theguild/federation-composition';
import { parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Facade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ask, type Pair, startPair } from '../../helpers/facade.ts';
import { openLibrary } from '../../helpers/library.ts';
import { NOTES } from '../../helpers/notes-subgraph.ts';
import { ACTION_STATE } from '../../helpers/running-actions.ts';

const SDL = '{ _service { sdl } }';

const open = (options: Partial<FacadeOptions> = {}): Promise<Pair> =>
  startPair({ facade: { federation: true, ...options } });

async function sdlOf(facade: Facade, headers: Record<string, string> = {}): Promise<string> {
  const { data } = await ask<{ _service: { sdl: string } }>(facade, SDL, { headers });
  return data?._service.sdl ?? '';
}

const administratorsSDL = ({ facade, headers }: Pair): Promise<string> => sdlOf(facade, headers('admin'));

/** The SDL of a described API. */
async function librarySDL(): Promise<string> {
  await using api = await openLibrary({}, { federation: true });
  return await sdlOf(api.facade, { 'x-library-token': 'reader' });
}

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
  it('links the specifications of its directives', async () => {
    expect((await librarySDL()).split('\n').slice(0, 4)).toEqual([
      'extend schema',
      '  @link(url: "https://specs.apollo.dev/federation/v2.1", import: ["@composeDirective", "@key", "@shareable"])',
      '  @link(url: "https://specs.apollo.dev/nullability/v0.4", import: ["@semanticNonNull"])',
      '  @composeDirective(name: "@semanticNonNull")',
    ]);
  });

  it('has a key on each type with an id, resolvable where the API shows its objects', async () => {
    const sdl = await librarySDL();
    expect([...sdl.matchAll(/^type (\w+) .*@.*$/gm)].map(([line]) => line)).toEqual([
      'type Author implements Node @key(fields: "id") {',
      'type CallerSession @shareable {',
      'type PageInfo @shareable {',
      'type Review @key(fields: "id", resolvable: false) {',
      'type Shelf implements Node @key(fields: "id") {',
      'type ShelfBook implements Node @key(fields: "id") {',
    ]);
  });

  it('leaves out what only routers use, and what they do by themselves', async () => {
    await using pair = await open();
    const sdl = await administratorsSDL(pair);
    expect(sdl).not.toMatch(/\b_(Any|Entity|Service|entities|service)\b|@(defer|stream)\b|: Query!/);
    expect(sdl).toMatch(/^type UserError @shareable \{$/m);
  });

  it('composes with a subgraph of another author, and keeps its directives', async () => {
    await using pair = await open();
    const { supergraphSdl, errors } = compose({ api: await administratorsSDL(pair), notes: NOTES });
    expect(errors).toEqual([]);
    expect(supergraphSdl).toMatch(/^scalar DateTime .*@specifiedBy\(url: "https:\/\/www.w3.org/m);
    expect(supergraphSdl).toMatch(/datasets\([^)]*\): DatasetConnection .*@semanticNonNull/);
    expect(supergraphSdl).toContain(
      '@link(url: "https://specs.apollo.dev/nullability/v0.4", import: ["@semanticNonNull"])',
    );
  });

  it('composes with that of another API but for the three fields that each API has', async () => {
    await using pair = await open();
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
    await using pair = await open();
    const book = { index: list('book', 'books', { id: 'Integer' }) };
    const resources = { action_state: ACTION_STATE, book: resource(book) };
    const options = { federation: true, hide: ['action_state#*'] };
    await using other = await openDescribed(resources, {}, options);
    const sdl = withoutOwnFields(await sdlOf(other.facade, { 'x-library-token': 'reader' }));
    expect(compose({ api: await administratorsSDL(pair), other: sdl }).errors).toEqual([]);
  });

  it('is that of the caller’s own schema', async () => {
    await using pair = await open();
    const sdl = await administratorsSDL(pair);
    expect(sdl).toContain('datasetMigrate');
    expect(await sdlOf(pair.facade, pair.headers('user'))).not.toContain('datasetMigrate');
    expect(await sdlOf(pair.facade)).not.toContain('datasets(');
    expect(await administratorsSDL(pair)).toBe(sdl);
  });

  it('is refused where introspection is', async () => {
    await using pair = await open({ introspection: 'authenticated' });
    const refused = await pair.ask(SDL, { login: null });
    expect(refused.errors).toMatchObject([
      { message: 'Introspection needs a credential on this server; sign in first.' },
    ]);
    expect(await sdlOf(pair.facade, pair.headers('user'))).toContain('type Dataset ');
    await using closed = await open({ introspection: 'off' });
    expect((await closed.ask(SDL)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    const entities = '{ _entities(representations: [{ __typename: "User", id: "user/2" }]) { __typename } }';
    expect((await closed.ask(entities)).data).toEqual({ _entities: [{ __typename: 'User' }] });
  });

  it('cannot be asked for many times in one operation', async () => {
    await using pair = await open();
    const aliases = Array.from({ length: 60 }, (_, index) => `a${index}: _service { sdl }`).join(' ');
    const { errors } = await ask(pair.facade, `{ ${aliases} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
  });
});
