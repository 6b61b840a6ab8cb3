// Opens a management API as one caller, in this process and without a server.
import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import { createLog } from '../../log/log.ts';
import { defaultOverrides } from '../../overrides/defaults.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import { createFacade, type Facade } from '../../server/facade.ts';
import type { FacadeOptions } from '../../server/facade-options.ts';
import { OptiongraphError } from '../../upstream/errors/optiongraph-error.ts';
import { CommandError, EXIT_CODES } from '../exit-codes.ts';
import type { CallerConfig } from './caller-settings.ts';
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
 * Connects to the API, and fetches what it describes to the caller.
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
    const headers = await credentialHeaders(config, facade, sandbox);
    const { served } = await openSession(facade, headers);
    return openCaller(facade, served, headers, close);
  } catch (error) {
    await close();
    throw explainCredential(error);
  }
}

function openFacade(
  { upstream, authorization, overrides, proxy }: CallerConfig,
  sandbox: Sandbox | null,
  options: Pick<FacadeOptions, 'federation'>,
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

const openSandbox = async () =>
  (await import('../sandbox/embedded-sandbox.ts')).openEmbeddedSandbox(false, '');

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** The header with the caller's credential. */
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

function explainCredential(error: unknown): unknown {
  if (!(error instanceof OptiongraphError) || error.code !== 'CREDENTIALS_UNKNOWN') return error;
  return new CommandError(
    EXIT_CODES.credentials,
    'The management API does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.',
    error,
  );
}
