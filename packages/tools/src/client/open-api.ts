// Opens a management API as one caller, in this process and without a server.
import { randomUUID } from 'node:crypto';
import {
  createFacade,
  createLog,
  DescriptionError,
  type Facade,
  type FacadeOptions,
  OptiongraphError,
  parseOverrides,
  readAuthorization,
} from '../../../../src/index.ts';
import { CommandError, EXIT_CODES, usageError } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { DEFAULT_PROFILE, listProfiles, type NamedProfile, type Profile } from '../login/profile.ts';
import { ended, extendToken, renew, renewInTime } from '../login/profile-session.ts';
import type { CallerConfig } from '../login/use-profile.ts';
import { shellWord } from '../output/shell-word.ts';
import type { ApiSettings } from '../read-settings.ts';
import { Client } from './client.ts';

type Session = Awaited<ReturnType<Facade['openSession']>>;
/** A caller's schema, and the description that it is made of. */
export type ServedSchema = Facade['schema'];
/** A call of an action. */
export type ActionCall = Parameters<Session['client']['call']>[0];
/** What an action answers. */
export type ActionResult = Awaited<ReturnType<Session['client']['call']>>;

/** A caller's credential: the value of `Authorization`, or of the header that the API describes for tokens. */
export interface CallerSecret {
  readonly kind: 'authorization' | 'token';
  readonly value: string;
}

/** What a command chooses of a facade. */
export type OpenOptions = Pick<FacadeOptions, 'federation' | 'snippets' | 'watch'>;

/** The settings that a facade needs. */
export type FacadeSettings = ApiSettings & Pick<CallerConfig, 'language' | 'overrides'>;

/** A management API as one caller uses it. */
export interface OpenApi extends AsyncDisposable {
  readonly client: Client;
  readonly served: ServedSchema;
  /** Calls an action that changes nothing. @throws OptiongraphError */
  read(call: ActionCall): Promise<ActionResult>;
}

/**
 * Connects to the API, and finds out what it describes to the caller. The session of a profile is renewed if it is needed.
 * @throws CommandError when the API does not know the credential; else what `createFacade` throws.
 */
export async function openApi(config: CallerConfig, options: OpenOptions = {}): Promise<OpenApi> {
  try {
    return await open(config, options);
  } catch (error) {
    const { openServer } = await import('./open-server.ts');
    await using server = isNoApi(error) ? await openServer(config) : null;
    if (server === null) throw error;
    throw new CommandError(
      EXIT_CODES.unreachable,
      `${server.endpoint.href} is a GraphQL server. Only "query", "watch" and "explain" use one; this command needs the address of the management API.`,
      error,
    );
  }
}

/** Whether an error means that something else than an API answers at an address. */
export const isNoApi = (error: unknown): boolean => error instanceof DescriptionError;

/** Opens the API itself. Throws as `createFacade` does. */
export async function open(config: CallerConfig, options: OpenOptions = {}): Promise<OpenApi> {
  const { sandbox, signedIn } = config;
  if (sandbox) return openSandbox(config, options);
  if (signedIn !== null) return openSession(signedIn, config, options);
  const { authorization, token } = config;
  const secret: CallerSecret | null =
    authorization !== null
      ? { kind: 'authorization', value: authorization }
      : token === null
        ? null
        : { kind: 'token', value: token };
  return openWith(config, secret, options, secret === null ? adviseToSignIn(config) : null);
}

/** Opens the session of a profile, which is renewed if it is needed. */
async function openSession(
  signedIn: NamedProfile,
  config: CallerConfig,
  options: OpenOptions,
): Promise<OpenApi> {
  const openAs = (profile: Profile) => openWith(config, secretOfProfile(profile), options);
  const profile = await renewInTime(signedIn, config);
  const api = await openAs(profile).catch(async (error: unknown) => {
    if (!isUnknownCredential(error)) throw error;
    return openAs(await renew({ ...signedIn, profile }, config)).catch((again: unknown) => {
      throw isUnknownCredential(again) ? ended(signedIn.name) : again;
    });
  });
  try {
    await extendToken(signedIn, api.client);
    return api;
  } catch (error) {
    await api[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the sandbox with the same services and the same operator as `serve --sandbox`, so that the schema is the same. */
async function openSandbox(config: CallerConfig, given: OpenOptions): Promise<OpenApi> {
  const { openEmbeddedSandbox } = await import('../embedded-sandbox.ts');
  const { sandbox, options, operator, close } = await openEmbeddedSandbox(true, '');
  const user = sandbox.users.find(({ login }) => login === config.as);
  const secret: CallerSecret | null = user === undefined ? null : { kind: 'token', value: user.token };
  // It is in the same process, where no proxy reaches it.
  const connection = { ...config.connection, proxy: { https: null, http: null, except: null } };
  const settings = { ...config, url: options.upstream, operator, connection };
  const advice =
    secret === null ? 'You are anonymous; choose another caller of the sandbox with --as.' : null;
  return openWith(settings, secret, { ...given, snippets: options.snippets }, advice, close).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
}

/**
 * Opens an API with a credential.
 * @param closeAlso Closes what ends with the API. Default: nothing does.
 * @throws As `openApi` does.
 */
export async function openWith(
  settings: FacadeSettings,
  secret: CallerSecret | null,
  options: OpenOptions = {},
  signInAdvice: string | null = null,
  closeAlso: () => Promise<void> = async () => undefined,
): Promise<OpenApi> {
  const facade = await openFacade(settings, secret, options);
  const close = async (): Promise<void> => {
    await facade.close();
    await closeAlso();
  };
  try {
    const { language } = settings;
    const headers: Readonly<Record<string, string>> = {
      ...(language === null ? {} : { 'accept-language': language }),
      ...headersOf(secret, facade.schema),
    };
    const header = (name: string): string | null => headers[name.toLowerCase()] ?? null;
    const {
      served,
      caller,
      client: actions,
    } = await facade.openSession({
      ...{ header, address: undefined, requestId: randomUUID(), signal: undefined },
    });
    // A credential that no described header carries is none for the API.
    if (secret !== null && caller.credential === null) throw unknownCredential();
    const endpoint = new URL(facade.endpoint, 'http://localhost');
    const send = async (init: RequestInit): Promise<Response> =>
      facade.yoga.fetch(new Request(endpoint, init));
    return {
      client: new Client({ endpoint, send, headers, signInAdvice, isServer: false, close }),
      served,
      read: (call) => actions.call(call, { kind: 'read' }),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await facade.close();
    throw explainCredential(error);
  }
}

/**
 * Opens a facade with the names and types of a server: the description for `UPSTREAM_AUTHORIZATION` decides them, else the anonymous one.
 * Where the API describes nothing to anonymous callers, the caller's own decides.
 */
async function openFacade(
  settings: FacadeSettings,
  secret: CallerSecret | null,
  options: OpenOptions,
): Promise<Facade> {
  const { operator } = settings;
  const own = secret?.kind === 'authorization' ? secret.value : null;
  try {
    return await createFacadeFor(
      settings,
      operator,
      operator === null ? secret === null : operator === own,
      options,
    );
  } catch (error) {
    const { code } = error instanceof OptiongraphError ? error : {};
    if (operator !== null && code === 'CREDENTIALS_UNKNOWN')
      throw new CommandError(
        EXIT_CODES.credentials,
        "The management API does not know the operator's credential. Check UPSTREAM_AUTHORIZATION.",
        error,
      );
    if (code !== 'CREDENTIALS_MISSING' || own === null) throw explainCredential(error);
  }
  return createFacadeFor(settings, own, true, options).catch((error: unknown) => {
    throw explainCredential(error);
  });
}

async function createFacadeFor(
  { url, version, connection, overrides, language }: FacadeSettings,
  operator: string | null,
  operatorCalls: boolean,
  options: OpenOptions,
): Promise<Facade> {
  if (url === null) throw new TypeError('a command needs an upstream or the sandbox');
  return createFacade({
    ...options,
    upstream: url,
    version,
    // One description in the language of the command is enough.
    ...(language === null ? {} : { language }),
    descriptionCredential: operator === null ? null : readAuthorization(operator),
    schemaMode: operatorCalls ? 'operator' : 'caller',
    overrides: readOverrides(overrides),
    transport: connection,
    log: createLog((line) => note(String(JSON.parse(line).msg)), 'error'),
  });
}

/** Reads the overrides of a file; null for the built-in ones. @throws CommandError */
export function readOverrides(overrides: unknown): ReturnType<typeof parseOverrides> | null {
  try {
    return overrides === null ? null : parseOverrides(overrides);
  } catch (error) {
    throw usageError(
      `--overrides names a file that cannot be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** The header of a credential. @throws CommandError when the API describes none for tokens. */
export function headersOf(
  secret: CallerSecret | null,
  { description }: ServedSchema,
): Readonly<Record<string, string>> {
  if (secret === null) return {};
  if (secret.kind === 'authorization') return { authorization: secret.value };
  const { token } = description.authentication;
  if (token !== null) return { [token.httpHeader.toLowerCase()]: secret.value };
  throw new CommandError(
    EXIT_CODES.credentials,
    'The API describes no tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.',
  );
}

/** The credential of a profile. */
export const secretOfProfile = (profile: Profile): CallerSecret =>
  profile.kind === 'oauth2'
    ? { kind: 'authorization', value: `Bearer ${profile.tokens.access}` }
    : { kind: 'token', value: profile.token };

/** The default profile, if there is one, is for another API, and would be replaced. */
function adviseToSignIn({ url }: CallerConfig): string {
  const profile = listProfiles().includes(DEFAULT_PROFILE) ? '--profile NAME ' : '';
  return `You are anonymous; sign in with: optiongraph login ${profile}--upstream ${shellWord(`${url?.href}`)}`;
}

/** The API does not know the caller's credential. */
class UnknownCredentialError extends CommandError {}

/** Whether an error means that the API does not know the caller's credential. */
export const isUnknownCredential = (error: unknown): boolean => error instanceof UnknownCredentialError;

const unknownCredential = (cause?: unknown): CommandError =>
  new UnknownCredentialError(
    EXIT_CODES.credentials,
    'The management API does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.',
    cause,
  );

function explainCredential(error: unknown): unknown {
  if (!(error instanceof OptiongraphError)) return error;
  if (error.code === 'CREDENTIALS_UNKNOWN') return unknownCredential(error);
  // The description names the header of tokens, so none can be sent before it has been read.
  if (error.code !== 'CREDENTIALS_MISSING') return error;
  const message = `${error.message} Give one as OPTIONGRAPH_AUTHORIZATION.`;
  return new CommandError(EXIT_CODES.credentials, message, error);
}
