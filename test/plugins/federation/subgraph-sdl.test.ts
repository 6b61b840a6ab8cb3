// Tests the SDL by which a subgraph of Apollo Federation describes itself.
import { describe, expect, it } from 'vitest';
import { ask, startFacade } from '../../helpers/facade.ts';
import { sharePair } from '../../helpers/shared-pair.ts';
import { administratorsSDL, librarySDL, SDL, sdlOf } from '../../helpers/subgraph-sdl.ts';

const pair = sharePair({ facade: { federation: true } });

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
    const sdl = await administratorsSDL(pair);
    expect(sdl).not.toMatch(/\b_(Any|Entity|Service|entities|service)\b|@(defer|stream)\b|: Query!/);
    expect(sdl).toMatch(/^type UserError @shareable \{$/m);
  });

  it('is that of the caller’s own schema', async () => {
    const sdl = await administratorsSDL(pair);
    expect(sdl).toContain('datasetMigrate');
    expect(await sdlOf(pair.facade, pair.headers('user'))).not.toContain('datasetMigrate');
    expect(await sdlOf(pair.facade)).not.toContain('datasets(');
    expect(await administratorsSDL(pair)).toBe(sdl);
  });

  it('is refused where introspection is', async () => {
    const federation = true;
    await using signedIn = await startFacade(pair.sandbox, { federation, introspection: 'authenticated' });
    expect((await ask(signedIn, SDL)).errors).toMatchObject([
      { message: 'Introspection needs a credential on this server; sign in first.' },
    ]);
    const headers = pair.headers('admin');
    expect(await sdlOf(signedIn, headers)).toContain('type Dataset ');
    await using closed = await startFacade(pair.sandbox, { federation, introspection: 'off' });
    expect((await ask(closed, SDL, { headers })).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    const entities = '{ _entities(representations: [{ __typename: "User", id: "user/2" }]) { __typename } }';
    expect((await ask(closed, entities, { headers })).data).toEqual({ _entities: [{ __typename: 'User' }] });
  });

  it('cannot be asked for many times in one operation', async () => {
    const aliases = Array.from({ length: 60 }, (_, index) => `a${index}: _service { sdl }`).join(' ');
    const { errors } = await ask(pair.facade, `{ ${aliases} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
  });
});
