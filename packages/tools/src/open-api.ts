// Opens a management API as one caller, in this process and without a server.
import { randomUUID } from 'node:crypto';
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import type { ServedSchema } from '../../../src/schema/registry.ts';
import type { OperationRequest } from '../../../src/server/operation-request.ts';
import { DescriptionError, OptiongraphError } from '../../../src/upstream/errors.ts';
import type { ActionCall, ActionResult } from '../../../src/upstream/http/action-client.ts';
import type { CallerConfig } from './caller-settings.ts';
import { type CallerSecret, secretOf, secretOfProfile } from './caller-settings.ts';
import { CommandError, EXIT_CODES } from './command-line/exit-codes.ts';
import type { Connections } from './login/oauth-provider.ts';
import { DEFAULT_PROFILE, listProfiles, type NamedProfile } from './login/profile.ts';
import { ended, extendToken, renew, renewInTime } from './login/profile-session.ts';
import type { OperationApi, Request } from './open-operations.ts';
import { shellWord } from './output/shell-word.ts';
import {
  type ConnectOptions,
  connect,
  isUnknownCredential,
  type OpenFacade,
  openFacade,
} from './session/connect.ts';
import { GraphqlServer } from './session/graphql-server.ts';

/** The sandbox is in the same process, where no proxy reaches it. */
const NO_PROXY = { https: null, http: null, except: null };

const ADVICE_OF_SANDBOX = 'You are anonymous; choose another caller of the sandbox with --as.';

/** A management API as one caller uses it. */
export interface OpenApi extends OperationApi {
  /** The caller's schema and description. */
  readonly served: ServedSchema;
  /** The operator's schema, which decides names and types. */
  readonly base: ServedSchema;
  readonly schema: GraphQLSchema;
  /** Calls an action that changes nothing. @throws As `ActionClient` does. */
  read(call: ActionCall): Promise<ActionResult>;
}

/**
 * Connects to the API, and finds out what it describes to the caller. The session of a profile is renewed if it is needed.
 * @throws CommandError when the API does not know the credential; else what `createFacade` throws.
 */
export async function openApi(config: CallerConfig, options: ConnectOptions = {}): Promise<OpenApi> {
  try {
    return await open(config, options);
  } catch (error) {
    await using server = error instanceof DescriptionError ? await GraphqlServer.find(config) : null;
    if (server === null) throw error;
    throw new CommandError(
      EXIT_CODES.unreachable,
      `${server.endpoint.href} is a GraphQL server. Only "query" and "watch" use one; this command needs the address of the management API.`,
      error,
    );
  }
}

/** Opens the API itself. Throws as `createFacade` does. */
export async function open(config: CallerConfig, options: ConnectOptions): Promise<OpenApi> {
  const { sandbox, signedIn } = config;
  try {
    if (sandbox) return await openSandbox(config, options);
    if (signedIn === null) {
      const secret = secretOf(config);
      const advice = secret === null ? adviseToSignIn(config) : null;
      return openCaller(await connect(config, secret, options), advice);
    }
    const api = openCaller(await openSession(signedIn, config, options), null);
    await extendToken(signedIn, api).catch(async (error: unknown) => {
      await api[Symbol.asyncDispose]();
      throw error;
    });
    return api;
  } catch (error) {
    throw explainCredential(error);
  }
}

/** Opens an API with a credential that no settings hold; null for none. Throws as `openApi` does. */
export async function openWith(connections: Connections, secret: CallerSecret | null): Promise<OpenApi> {
  try {
    return openCaller(await connect({ ...connections, overrides: null, language: null }, secret, {}), null);
  } catch (error) {
    throw explainCredential(error);
  }
}

/** Opens the session of a profile, which is renewed if it is needed. */
async function openSession(
  signedIn: NamedProfile,
  config: CallerConfig,
  options: ConnectOptions,
): Promise<OpenFacade> {
  const profile = await renewInTime(signedIn, config);
  try {
    return await connect(config, secretOfProfile(profile), options);
  } catch (error) {
    if (!isUnknownCredential(error)) throw error;
  }
  const renewed = await renew({ ...signedIn, profile }, config);
  return connect(config, secretOfProfile(renewed), options).catch((error: unknown) => {
    throw isUnknownCredential(error) ? ended(signedIn.name) : error;
  });
}

/** Opens the sandbox with the same services and the same operator as `serve --sandbox`, so that the schema is the same. */
async function openSandbox(config: CallerConfig, given: ConnectOptions): Promise<OpenApi> {
  const { openEmbeddedSandbox } = await import('./embedded-sandbox.ts');
  const { sandbox, options, close } = await openEmbeddedSandbox(true, '');
  try {
    const user = sandbox.users.find(({ login }) => login === config.as);
    const secret: CallerSecret | null =
      user === undefined
        ? null
        : { kind: 'token', header: sandbox.tokenHeader.toLowerCase(), value: user.token, session: null };
    const { upstream: url, descriptionCredential: operator, snippets } = options;
    const local = {
      ...config,
      upstream: { ...config.upstream, url, authorization: operator },
      proxy: NO_PROXY,
    };
    const { document: _document, ...parts } = given;
    const opened = await openFacade(local, secret, { ...parts, snippets }, null);
    return openCaller(opened, secret === null ? ADVICE_OF_SANDBOX : null, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Executes operations of one caller.
 * @param close Closes the API itself, after the facade. Default: it is not this process that does.
 */
function openCaller(
  { facade, session, header }: OpenFacade,
  signInAdvice: string | null,
  close?: () => Promise<void>,
): OpenApi {
  const run = (
    request: Request,
    liveAs: OperationRequest['liveAs'],
    more: Readonly<Record<string, string>> = {},
  ) => {
    const given = new Map(Object.entries(more).map(([name, value]) => [name.toLowerCase(), value]));
    return facade.pipeline.run({
      requester: {
        header: (name) => given.get(name.toLowerCase()) ?? header(name),
        address: undefined,
        requestId: randomUUID(),
        signal: undefined,
      },
      readSent: () => request,
      report: null,
      acceptsParts: false,
      liveAs,
      admit: () => undefined,
    });
  };
  return {
    served: session.served,
    base: facade.schema,
    schema: session.served.schema,
    readSchema: async () => session.served.schema,
    signInAdvice,
    remembersKeys: false,
    read: (call) => session.client.call(call, { isRead: true }),
    ask: async (request, more) => toJson((await run(request, 'result', more)) as ExecutionResult),
    async subscribe(request) {
      const executed = await run(request, 'stream');
      return mapAsyncIterator(isAsyncIterable(executed) ? executed : once(executed), toJson, toFailure);
    },
    async [Symbol.asyncDispose]() {
      await facade.close();
      await close?.();
    },
  };
}

/** A result as a client receives it. */
const toJson = (result: ExecutionResult): ExecutionResult => JSON.parse(JSON.stringify(result));

function toFailure(error: unknown): ExecutionResult {
  if (error instanceof GraphQLError) return toJson({ errors: [error] });
  throw error;
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** The default profile, if there is one, is for another API, and would be replaced. */
function adviseToSignIn({ upstream: { url } }: CallerConfig): string {
  const profile = listProfiles().includes(DEFAULT_PROFILE) ? '--profile NAME ' : '';
  return `You are anonymous; sign in with: optiongraph login ${profile}--upstream ${shellWord(`${url?.href}`)}`;
}

function explainCredential(error: unknown): unknown {
  const { code, message } = error instanceof OptiongraphError ? error : {};
  const explained: Partial<Record<string, string>> = {
    CREDENTIALS_UNKNOWN:
      'The management API does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.',
    // The description names the header of tokens, so none can be sent before it has been read.
    CREDENTIALS_MISSING: `${message} Give one as OPTIONGRAPH_AUTHORIZATION.`,
  };
  const reason = explained[code ?? ''];
  return reason === undefined ? error : new CommandError(EXIT_CODES.credentials, reason, error);
}
