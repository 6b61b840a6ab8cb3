// Opens a management API as one caller, in this process and without a server.
import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import { createLog } from '../../log/log.ts';
import { defaultOverrides } from '../../overrides/defaults.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import { createFacade, type Facade } from '../../server/facade.ts';
import type { FacadeOptions } from '../../server/facade-options.ts';
import type { Description } from '../../upstream/description/description.ts';
import { OptiongraphError } from '../../upstream/errors/optiongraph-error.ts';
import { CommandError, EXIT_CODES } from '../exit-codes.ts';
import type { CallerConfig } from './caller-settings.ts';
import type { Connections } from './login/oauth-provider.ts';
import { ended, extendToken, headersOf, renew, renewInTime } from './login/profile-session.ts';
import { note } from './output.ts';

/** The address at which the facade believes to be served. Nothing listens there. */
const ENDPOINT = 'http://localhost/graphql';

/** An operation to execute. */
export interface Request {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** A management API as one caller uses it. */
export interface OpenApi extends AsyncDisposable {
  /** The caller's schema and description. */
  readonly served: ServedSchema;
  /** Executes a query or a mutation. */
  ask(request: Request, headers?: Readonly<Record<string, string>>): Promise<ExecutionResult>;
  /** Executes a subscription. It ends with the iterator. */
  subscribe(request: Request): AsyncIterableIterator<ExecutionResult>;
}

/**
 * Connects to the API, and fetches what it describes to the caller. The session of a profile is renewed if it is needed.
 * @throws CommandError when the API does not know the credential; else what `createFacade` throws.
 */
export async function openApi(
  config: CallerConfig,
  options: Pick<FacadeOptions, 'federation'> = {},
): Promise<OpenApi> {
  const sandbox = config.sandbox ? await openSandbox() : null;
  let facade: Facade | null = null;
  const close = async (): Promise<void> => {
    await facade?.close();
    await sandbox?.close();
  };
  try {
    facade = await openFacade(config, sandbox, options);
    const { served, headers } = await openCallerSession(config, facade, sandbox);
    const api = openCaller(facade, served, headers, close);
    if (config.signedIn !== null) await extendToken(config.signedIn, api);
    return api;
  } catch (error) {
    await close();
    throw explainCredential(error);
  }
}

/**
 * Fetches what the API describes to everybody.
 * @param signal Ends the fetch; null: nothing does.
 * @throws What `createFacade` throws.
 */
export async function readOpenDescription(
  config: CallerConfig,
  signal: AbortSignal | null,
): Promise<Description> {
  const sandbox = config.sandbox ? await openSandbox() : null;
  try {
    await using facade = await openFacade(
      { ...config, authorization: null },
      sandbox,
      signal === null ? {} : { signal },
    );
    return facade.schema.description;
  } finally {
    await sandbox?.close();
  }
}

/** Opens an API with a token, or without a credential. Throws as `openApi` does. */
export const openWithToken = ({ upstream, proxy }: Connections, token: string | null): Promise<OpenApi> =>
  openApi({
    ...{ upstream, proxy, token, authorization: null, profile: null, signedIn: null },
    ...{ overrides: null, sandbox: false, as: 'anonymous' },
  });

function openFacade(
  { upstream, authorization, overrides, proxy }: CallerConfig,
  sandbox: Sandbox | null,
  options: Pick<FacadeOptions, 'federation' | 'signal'>,
): Promise<Facade> {
  const url = upstream.url ?? sandbox?.options.upstream;
  if (url === undefined) throw new TypeError('a command needs an upstream or the sandbox');
  return createFacade({
    ...options,
    upstream: url,
    version: upstream.version,
    descriptionCredential: authorization,
    overrides: overrides ?? defaultOverrides,
    // The sandbox is in the same process.
    transport: { ...upstream.transport, ...(sandbox === null ? { proxy } : {}) },
    snippets: sandbox?.options.snippets ?? null,
    log: createLog((line) => note(String(JSON.parse(line).msg)), 'error'),
  });
}

/** Executes operations of one caller. */
function openCaller(
  { yoga: { fetch } }: Facade,
  served: ServedSchema,
  headers: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): OpenApi {
  const events = createClient({
    url: ENDPOINT,
    headers,
    fetchFn: (address: string, init: RequestInit) => fetch(address, init),
    retryAttempts: 0,
  });
  return {
    served,
    async ask(request, more = {}) {
      const response = await fetch(ENDPOINT, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...more },
        body: JSON.stringify(request),
      });
      return (await response.json()) as ExecutionResult;
    },
    subscribe: (request) => events.iterate(request) as AsyncIterableIterator<ExecutionResult>,
    async [Symbol.asyncDispose]() {
      events.dispose();
      await close();
    },
  };
}

/** With the same services as `serve --sandbox`, so that the schema is the same. */
const openSandbox = async () =>
  (await import('../sandbox/embedded-sandbox.ts')).openEmbeddedSandbox(true, '');

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

interface CallerSession {
  readonly served: ServedSchema;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the session of the caller. */
async function openCallerSession(
  config: CallerConfig,
  facade: Facade,
  embedded: Sandbox | null,
): Promise<CallerSession> {
  const { signedIn } = config;
  if (signedIn === null) return openWith(facade, await credentialHeaders(config, facade, embedded));
  const { authentication } = (await openSession(facade, {})).served.description;
  const profile = await renewInTime(signedIn, config);
  try {
    return await openWith(facade, headersOf(profile, authentication));
  } catch (error) {
    if (!isUnknownCredential(error)) throw error;
  }
  const renewed = await renew({ ...signedIn, profile }, config);
  try {
    return await openWith(facade, headersOf(renewed, authentication));
  } catch (error) {
    throw isUnknownCredential(error) ? ended(signedIn.name) : error;
  }
}

async function openWith(facade: Facade, headers: Readonly<Record<string, string>>): Promise<CallerSession> {
  const { served } = await openSession(facade, headers);
  return { served, headers };
}

/** The header with the credential of the settings or of the sandbox. */
async function credentialHeaders(
  { authorization, token, as: login }: CallerConfig,
  facade: Facade,
  embedded: Sandbox | null,
): Promise<Readonly<Record<string, string>>> {
  if (embedded !== null) {
    const user = embedded.sandbox.users.find((one) => one.login === login);
    return user === undefined ? {} : { [embedded.sandbox.tokenHeader]: user.token };
  }
  if (authorization !== null) return { [authorization.header]: authorization.value };
  if (token === null) return {};
  const { token: method } = (await openSession(facade, {})).served.description.authentication;
  if (method === null)
    throw new CommandError(
      EXIT_CODES.credentials,
      'The API describes no tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.',
    );
  return { [method.httpHeader]: token };
}

function openSession(facade: Facade, headers: Readonly<Record<string, string>>) {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return facade.openSession({
    header: (name) => byName.get(name.toLowerCase()) ?? null,
    address: undefined,
    requestId: randomUUID(),
    signal: undefined,
  });
}

const isUnknownCredential = (error: unknown): boolean =>
  error instanceof OptiongraphError && error.code === 'CREDENTIALS_UNKNOWN';

function explainCredential(error: unknown): unknown {
  if (!(error instanceof OptiongraphError)) return error;
  switch (error.code) {
    case 'CREDENTIALS_UNKNOWN':
      return new CommandError(
        EXIT_CODES.credentials,
        'The management API does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.',
        error,
      );
    case 'CREDENTIALS_MISSING':
      // The description names the header of tokens, so none can be sent before it has been read.
      return new CommandError(
        EXIT_CODES.credentials,
        `${error.message} Give one as OPTIONGRAPH_AUTHORIZATION.`,
        error,
      );
    default:
      return error;
  }
}
