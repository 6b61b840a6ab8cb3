// Serves agents over HTTP, beside GraphQL and with the same credentials, limits and records.
import { hkdfSync, randomBytes } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ExecutionResult } from 'graphql';
import type { FacadePlugin } from '../../../src/index.ts';
import { type AgentApi, type AgentOptions, createAgentServer } from './agent-server.ts';

type Services = Parameters<NonNullable<FacadePlugin['start']>>[0];
type Requester = Parameters<Services['openSession']>[0];

/** Options of the door for agents. */
export interface DoorOptions extends Omit<AgentOptions, 'key'> {
  /** Seals plans, at all replicas alike; null: a random key for the process. */
  readonly secret: string | null;
}

/** Where clients find the authorization server that issues tokens (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource';

/** Makes the plugin that serves agents at `/mcp` below the base path. */
export function useAgents({ secret, ...options }: DoorOptions): FacadePlugin {
  const key = secret === null ? randomBytes(32) : Buffer.from(hkdfSync('sha256', secret, '', 'mcp', 32));
  return { start: (services) => openDoor(services, { ...options, key }) };
}

function openDoor(services: Services, options: AgentOptions): ReturnType<NonNullable<FacadePlugin['start']>> {
  const { pages, callers, limits, openSession, toClientError, isFromOwnPage } = services;
  const path = `${pages.basePath}/mcp`;
  const agents = createMcpHandler(
    ({ authInfo }) => {
      const { clientId = '', extra = {} } = authInfo ?? {};
      return createAgentServer(createApi(services, extra['requester'] as Requester), clientId, options);
    },
    { maxRequestBodySize: limits.bodySize },
  );
  /** Returns the key of a credential that the API knows; null for none. */
  const findOwner = async (requester: Requester): Promise<string | null> => {
    try {
      return (await openSession(requester)).currentCaller.credential?.key ?? null;
    } catch (error) {
      if (toClientError(error).extensions['code'] === 'UNAUTHENTICATED') return null;
      throw error;
    }
  };
  return {
    endStreams: () => void agents.close(),
    async page({ request, url: { pathname, origin: requested }, requester: sender }) {
      const origin = pages.publicUrl ?? requested;
      if (pathname.includes(METADATA)) return Response.json(metadataOf(`${origin}${path}`, callers.base));
      if (pathname !== path) return null;
      if (!isFromOwnPage(sender.header)) return refuse(403, 'Pages of other origins may not use this.');
      const requester = asAgent(sender);
      const clientId = await findOwner(requester);
      if (clientId !== null)
        return agents.fetch(request, { authInfo: { token: '', clientId, scopes: [], extra: { requester } } });
      return refuse(401, 'Agents need a valid credential of the API.', {
        'www-authenticate': `Bearer resource_metadata="${origin}${METADATA}${path}"`,
      });
    },
  };
}

/** Makes who sends the operations of an agent. Cookies do not count: a page could use them without its user. */
const asAgent = ({ header, address, requestId, leaving, signal }: Requester): Requester => ({
  ...{ address, requestId, leaving, signal, via: 'mcp' },
  header: (name) => (name.toLowerCase() === 'cookie' ? null : header(name)),
});

/** Carries out the operations of one request of an agent. */
function createApi({ run, beginReport, openSession }: Services, requester: Requester): AgentApi {
  const carryOut: AgentApi['run'] = async (sent) => {
    const report = beginReport(requester, 'http');
    const request = { requester, report, acceptsParts: false, liveAs: 'result' } as const;
    const result = await run({ ...request, readSent: () => sent, admit: () => undefined });
    if (Symbol.asyncIterator in result) return copyEach(result, () => report?.end(200));
    report?.end(200);
    return copy(result);
  };
  return {
    run: carryOut,
    async readSchema() {
      const result = await carryOut({ query: '{ __schema { queryType { name } } }', variables: {} });
      if ('errors' in result && result.errors) throw new Error(result.errors[0]?.message);
      return (await openSession(requester)).served.schema;
    },
  };
}

/** Copies a result, which may be a record that others get, too. */
const copy = (result: ExecutionResult): ExecutionResult => JSON.parse(JSON.stringify(result));

async function* copyEach(results: AsyncIterable<ExecutionResult>, end: () => void) {
  try {
    for await (const result of results) yield copy(result);
  } finally {
    end();
  }
}

/** Names the authorization server of the API. Tokens of others are not accepted. */
function metadataOf(resource: string, { description }: Services['callers']['base']): object {
  const { oauth2 } = description.authentication;
  const servers = oauth2?.endpoints && [new URL(oauth2.endpoints.authorize).origin];
  return {
    resource,
    ...(servers && { authorization_servers: servers }),
    bearer_methods_supported: ['header'],
  };
}

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
