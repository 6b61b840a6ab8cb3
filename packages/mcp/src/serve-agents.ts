// Serves agents over HTTP, beside GraphQL and with the same credentials, limits and records.
import { hkdfSync, randomBytes } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FacadePlugin } from '../../../src/index.ts';
import { type AgentApi, type AgentOptions, createAgentServer } from './agent-server.ts';

type StartedPlugin = NonNullable<FacadePlugin['start']>;
type Services = Parameters<StartedPlugin>[0];
type Requester = Parameters<Services['openSession']>[0];

/** Where clients find the authorization server that issues tokens (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource';

/**
 * Makes the plugin that serves agents at `/mcp` below the base path.
 * @param secret Seals plans, at all replicas alike; null: a random key for the process.
 */
export function useAgents(secret: string | null, options: Omit<AgentOptions, 'key'>): FacadePlugin {
  const key = secret === null ? randomBytes(32) : Buffer.from(hkdfSync('sha256', secret, '', 'mcp', 32));
  return { start: (services) => openDoor(services, { ...options, key }) };
}

function openDoor(services: Services, options: AgentOptions): ReturnType<StartedPlugin> {
  const path = `${services.pages.basePath}/mcp`;
  const agents = createMcpHandler(
    ({ authInfo }) => {
      const requester = authInfo?.extra?.['requester'] as Requester;
      return createAgentServer(createApi(services, requester), authInfo?.clientId ?? '', options);
    },
    { maxRequestBodySize: services.limits.bodySize },
  );
  return {
    endStreams: () => void agents.close(),
    async page({ request, url: { pathname, origin }, requester: sender }) {
      const resource = `${services.pages.publicUrl ?? origin}${path}`;
      if (pathname.includes(METADATA)) return Response.json(metadataOf(resource, services));
      if (pathname !== path) return null;
      if (!services.isFromOwnPage(sender.header))
        return refuse(403, 'Pages of other origins may not use this server.');
      // Cookies do not count: a page could use them without its user.
      const header = (name: string) => (name.toLowerCase() === 'cookie' ? null : sender.header(name));
      const { address, requestId, leaving, signal } = sender;
      const requester: Requester = { header, address, requestId, leaving, signal, via: 'mcp' };
      const clientId = await findOwner(services, requester);
      const authInfo = { token: '', clientId, scopes: [], extra: { requester } };
      if (clientId !== '') return agents.fetch(request, { authInfo });
      const found = `Bearer resource_metadata="${new URL(METADATA + path, resource)}"`;
      return refuse(401, 'Agents need a valid credential of the API.', { 'www-authenticate': found });
    },
  };
}

/** Returns the key of a credential that the API knows; empty for none. */
async function findOwner({ openSession, toClientError }: Services, requester: Requester): Promise<string> {
  const opened = openSession(requester).catch((error: unknown) => {
    if (toClientError(error).extensions['code'] === 'UNAUTHENTICATED') return null;
    throw error;
  });
  return (await opened)?.currentCaller.credential?.key ?? '';
}

/** Carries out the operations of one request of an agent. */
const createApi = ({ execute, openSession }: Services, requester: Requester): AgentApi => ({
  run: (request) => execute(requester, request),
  async readSchema() {
    const result = await execute(requester, { query: '{ __schema { queryType { name } } }' });
    if ('errors' in result) throw new Error(result.errors?.[0]?.message);
    return (await openSession(requester)).served.schema;
  },
});

/** Names the authorization server of the API. Tokens of others are not accepted. */
function metadataOf(resource: string, { callers }: Services): object {
  const { authorize } = callers.base.description.authentication.oauth2?.endpoints ?? {};
  const servers = authorize && { authorization_servers: [new URL(authorize).origin] };
  return { resource, ...servers, bearer_methods_supported: ['header'] };
}

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
