// Serves agents over HTTP, beside GraphQL and with the same credentials, limits and records.
import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createServerAdapter } from '@whatwg-node/server';
import type { ExecutionResult } from 'graphql';
import type { Facade } from '../../../src/index.ts';
import type { AgentApi, AgentRequest } from './agent-api.ts';
import { type AgentOptions, createAgentServer } from './agent-server.ts';

type Requester = Parameters<Facade['openSession']>[0];
type OperationRequest = Parameters<Facade['pipeline']['run']>[0];

/** What the door for agents is made from. */
export interface AgentsOptions extends Omit<AgentOptions, 'key'> {
  /** Seals plans, at all replicas alike; null: a random one for the process. */
  readonly secret: string | null;
}

/** Where clients find which authorization server issues tokens (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource';

/** Adds the door to a facade: `/mcp` below the base path, and its metadata. All other requests go on as before. */
export function withAgents<F extends Facade>(facade: F, { secret, ...options }: AgentsOptions): F {
  const { basePath } = facade.pages;
  const path = `${basePath}/mcp`;
  const key =
    secret === null ? randomBytes(32) : Buffer.from(hkdfSync('sha256', secret, '', 'optiongraph mcp', 32));
  const agents = createMcpHandler(
    ({ authInfo }) => {
      const requester = authInfo?.extra?.['requester'] as Requester;
      return createAgentServer(createApi(facade, requester), authInfo?.clientId ?? '', { ...options, key });
    },
    { maxRequestBodySize: 1_048_576 },
  );
  const adapter = createServerAdapter<{ req: IncomingMessage }>(async (request, { req }) => {
    if (isForeign(request, facade)) return refuse(403, 'Pages of other origins may not use this server.');
    const { origin } = new URL(facade.pages.publicUrl ?? request.url);
    if (request.method === 'GET' && new URL(request.url).pathname.includes(METADATA))
      return Response.json(metadataOf(facade, `${origin}${path}`));
    const requester = requesterOf(request, facade.addressOf(req));
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${origin}${METADATA}${path}"` };
    try {
      const { credential } = (await facade.openSession(requester)).currentCaller;
      if (credential === null) return refuse(401, 'Agents need a credential of the API.', challenge);
      const clientId = createHash('sha256').update(`${credential.header} ${credential.value}`).digest('hex');
      return await agents.fetch(request, {
        authInfo: { token: '', clientId, scopes: [], extra: { requester } },
      });
    } catch (error) {
      const { message, extensions } = facade.toClientError(error);
      const { code, retryable } = extensions;
      if (code === 'UNAUTHENTICATED') return refuse(401, message, challenge);
      return refuse(code === 'COST_LIMIT_EXCEEDED' ? 429 : retryable === true ? 503 : 400, message);
    }
  });
  const listener: RequestListener = (request, response) => {
    const [at = ''] = (request.url ?? '').split('?', 1);
    if (at === path || at === `${basePath}${METADATA}${path}` || at === `${METADATA}${path}`)
      return void adapter(request, response);
    facade.listener(request, response);
  };
  return Object.create(facade, { listener: { value: listener } });
}

/** Makes who sends the operations of an agent. Cookies do not count: a page could use them without its user. */
function requesterOf({ headers, signal }: Request, address: string | undefined): Requester {
  const hidden = new Set(['cookie', 'accept', 'idempotency-key', 'estimate-only']);
  const header = (name: string): string | null => {
    const lower = name.toLowerCase();
    if (lower === 'optiongraph-via') return 'mcp';
    return hidden.has(lower) ? null : headers.get(lower);
  };
  return { header, address, requestId: randomUUID(), leaving: signal, signal } as Requester;
}

/** Carries out the operations of one request of an agent. */
function createApi({ pipeline, openSession }: Facade, requester: Requester): AgentApi {
  const run = async (sent: AgentRequest) => {
    const report = pipeline.beginReport(requester, 'http');
    const result = await pipeline.run({
      ...{ requester, report, acceptsParts: false, liveAs: 'result' },
      readSent: () => sent,
      admit: () => undefined,
    } as OperationRequest);
    return { result, end: () => report?.end(200, false) };
  };
  const ask = async (sent: AgentRequest): Promise<ExecutionResult> => {
    const { result, end } = await run(sent);
    end();
    return toJson(result);
  };
  return {
    ask,
    async readSchema() {
      const { errors } = await ask({ query: '{ __schema { queryType { name } } }' });
      return errors === undefined ? (await openSession(requester)).served.schema : null;
    },
    async subscribe(sent) {
      const { result, end } = await run(sent);
      return eachOf(result, end);
    },
  };
}

async function* eachOf(
  result: ExecutionResult | AsyncIterable<ExecutionResult>,
  end: () => void,
): AsyncGenerator<ExecutionResult> {
  try {
    if (Symbol.asyncIterator in result) for await (const event of result) yield toJson(event);
    else yield toJson(result);
  } finally {
    end();
  }
}

const toJson = (result: object): ExecutionResult => JSON.parse(JSON.stringify(result));

/** Whether a browser says that a page of another origin sends a request. */
function isForeign({ headers }: Request, { pages: { publicUrl, origins } }: Facade): boolean {
  const origin = headers.get('origin');
  if (origin === null || origins.includes(origin)) return false;
  if (publicUrl !== null) return origin !== publicUrl;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host');
}

function metadataOf({ schema }: Facade, resource: string): object {
  const { oauth2 } = schema.description.authentication;
  const servers = oauth2?.endpoints
    ? { authorization_servers: [new URL(oauth2.endpoints.authorize).origin] }
    : {};
  return { resource, ...servers, bearer_methods_supported: ['header'] };
}

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
