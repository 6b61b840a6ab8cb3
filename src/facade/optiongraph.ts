// Makes a GraphQL API for servers of other programs.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import { createLog, type Log } from '../log.ts';
import type { SnippetsOptions } from '../plugins/snippets/snippets-client.ts';
import { INTROSPECTION_ACCESS } from '../server/documents.ts';
import { answerError, CLOSING, toResponse } from '../server/http/server-answers.ts';
import { completeLimits } from '../server/limits.ts';
import { type Credential, readAuthorization } from '../upstream/http/caller.ts';
import { CLIENT_HEADERS } from '../upstream/http/client-headers.ts';
import { checkChoice, checkOptions, readAddress } from './check-options.ts';
import { createFacade, type Facade } from './facade.ts';
import type { FacadeOptions } from './facade-options.ts';

/** The options of `createOptiongraph`: those of `createFacade`, with texts in place of URLs and credentials, and the defaults of the program. */
export interface OptiongraphOptions<Added extends object = object>
  extends Omit<FacadeOptions<Added>, 'upstream' | 'log' | 'descriptionCredential' | 'snippets'> {
  /** Address of the management API, with its base path. */
  readonly upstream: string | URL;
  /** The operator's credential, also as the value of an `Authorization` header. It fetches the base description, never a caller's data. */
  readonly descriptionCredential?: string | Credential | null;
  /** Default: none, so that the schema has no fields for snippets. */
  readonly snippets?: (Omit<SnippetsOptions, 'url'> & { readonly url: string | URL }) | null;
  /** Default: nothing is logged. */
  readonly log?: Log;
}

/** A GraphQL API over one management API, for a server of one's own. */
export interface Optiongraph extends AsyncDisposable {
  /** Path of GraphQL. */
  readonly endpoint: string;
  /** The schema for the description credential. */
  readonly schema: GraphQLSchema;
  /** All else that is known of the API and its callers. */
  readonly facade: Facade;
  /** Answers a Fetch request: for Hono, Next, Deno-like servers and tests. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Answers a request of `node:http`: for plain servers, Express and Fastify. Resolves when the response is made. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Serves subscriptions over WebSocket at the endpoint of a server. Upgrades of other paths are left to others. */
  attachWebSocket(server: HttpServer | HttpsServer): void;
  /** Answers requests with 503 from now on, lets operations finish, and closes WebSockets and the connections to the management API. */
  dispose(): Promise<void>;
}

/**
 * Fetches the description of a management API, and makes its GraphQL API. Its schema is that of the program by default.
 * @throws TypeError that names an option that does not exist, or whose value is none of the choices, without the value; else as `createFacade` does.
 */
export async function createOptiongraph<Added extends object = object>(
  options: OptiongraphOptions<Added>,
): Promise<Optiongraph> {
  checkOptions(options);
  checkChoice('introspection', options.introspection, INTROSPECTION_ACCESS);
  checkChoice('clientHeaders', options.clientHeaders, CLIENT_HEADERS);
  if (options.endpoint?.startsWith('/') === false)
    throw new TypeError('The option endpoint must be a path, which begins with "/".');
  const { snippets = null, descriptionCredential = null, ...rest } = options;
  const limits = completeLimits(options.limits);
  const facade = await createFacade({
    log: createLog(() => undefined, 'off'),
    ...rest,
    upstream: readAddress('upstream', options.upstream, 'https://api.example.org/'),
    descriptionCredential:
      typeof descriptionCredential === 'string'
        ? readAuthorization(descriptionCredential)
        : descriptionCredential,
    snippets: snippets && {
      ...snippets,
      url: readAddress('snippets.url', snippets.url, 'https://paste.example.org/'),
    },
  });
  const { yoga, listener, endpoint } = facade;
  for (const { code, path, reason } of facade.schema.findings)
    if (code === 'ADDITION_LEFT_OUT') options.log?.warn(`${code}: ${reason} (${path})`, { event: 'finding' });
  /** Detach the WebSockets of servers, and close them. */
  const detachers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await facade.shutdown.finish(limits);
    await Promise.all(detachers.map((detach) => detach()));
    await facade.close();
  };
  const dispose = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    endpoint,
    get schema() {
      return facade.schema.schema;
    },
    facade,
    // A server may pass more arguments, which are none of yoga's.
    fetch: async (request) => (closing === null ? yoga.fetch(request) : toResponse(request, CLOSING)),
    handler: async (request, response) =>
      closing === null ? listener(request, response) : answerError(request, response, CLOSING),
    attachWebSocket(server) {
      const sockets = facade.serveWebSockets();
      const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
        if (request.url?.split('?', 1)[0] === endpoint) sockets.upgrade(request, socket, head);
      };
      server.on('upgrade', upgrade);
      detachers.push(async () => {
        server.off('upgrade', upgrade);
        await sockets.close(limits.closeSpread);
      });
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}
