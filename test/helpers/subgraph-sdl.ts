// Reads the SDL of subgraphs.
import type { Facade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { ask, type Pair, startPair } from './facade.ts';
import { openLibrary } from './library.ts';

export const SDL = '{ _service { sdl } }';

/** Opens the sandbox as a subgraph. */
export const openSubgraph = (options: Partial<FacadeOptions> = {}): Promise<Pair> =>
  startPair({ facade: { federation: true, ...options } });

export async function sdlOf(facade: Facade, headers: Record<string, string> = {}): Promise<string> {
  const { data } = await ask<{ _service: { sdl: string } }>(facade, SDL, { headers });
  return data?._service.sdl ?? '';
}

export const administratorsSDL = ({ facade, headers }: Pair): Promise<string> =>
  sdlOf(facade, headers('admin'));

/** The SDL of a described API. */
export async function librarySDL(): Promise<string> {
  await using api = await openLibrary({}, { federation: true });
  return await sdlOf(api.facade, { 'x-library-token': 'reader' });
}
