// Opens what executes operations: a management API, or a GraphQL server, without loading what only the API needs.
import type { CallerConfig } from '../login/use-profile.ts';
import type { Client } from './client.ts';

/**
 * Opens what is at the address of the settings: the API as `openApi` does, or a GraphQL server such as Optiongraph, with its overrides
 * and its own fields.
 */
export async function openClient(config: CallerConfig): Promise<Client> {
  // The usual path of GraphQL. A HaveAPI server does not answer there, and asking it first would take a second.
  const isLikely = config.url?.pathname.endsWith('/graphql') === true;
  const likely = isLikely ? await findServer(config) : null;
  if (likely !== null) return likely;
  const { isNoApi, open } = await import('./open-api.ts');
  try {
    return (await open(config)).client;
  } catch (error) {
    const server = isNoApi(error) && !isLikely ? await findServer(config) : null;
    if (server === null) throw error;
    return server;
  }
}

const findServer = async (config: CallerConfig): Promise<Client | null> =>
  (await import('./open-server.ts')).openServer(config);
