// Opens a facade in this process for one caller, with the names and types that a server has for the same caller.

import { randomUUID } from 'node:crypto';
import { type DocumentNode, validate } from 'graphql';
import type { Session } from '../../../../src/callers/session.ts';
import { transportOf } from '../../../../src/config/upstream-settings.ts';
import { createFacade, type Facade } from '../../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../../src/facade/facade-options.ts';
import { createLog } from '../../../../src/log.ts';
import type { Observer } from '../../../../src/observer.ts';
import { OptiongraphError, UnknownCredentialsError } from '../../../../src/upstream/errors.ts';
import { type Credential, createCredential } from '../../../../src/upstream/http/caller.ts';
import type { CallerConfig, CallerSecret } from '../caller-settings.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { KeptDescriptions } from './caller-description.ts';

/** The settings that a facade needs. */
export type FacadeConfig = Pick<CallerConfig, 'upstream' | 'proxy' | 'overrides' | 'language'>;

/** What a command chooses of a facade. */
export interface ConnectOptions extends Pick<FacadeOptions, 'federation' | 'signal' | 'snippets' | 'watch'> {
  /**
   * What the command executes. The descriptions of earlier commands are used for it, unless the document does not fit them.
   * Default: nothing, and the descriptions are fetched.
   */
  readonly document?: DocumentNode;
}

/** A facade, and its caller. */
export interface OpenFacade {
  readonly facade: Facade;
  readonly session: Session;
  /** Reads the headers that carry the caller's credential and language; null for any other. */
  readonly header: (name: string) => string | null;
}

/**
 * Connects to an API, and keeps its descriptions for later commands.
 * @param secret The caller's credential; null for an anonymous caller.
 * @throws UnknownCredentialsError when the API does not know the credential, or describes no header such as its, CommandError when it
 *   describes no tokens; else what `createFacade` throws.
 */
export async function connect(
  config: FacadeConfig,
  secret: CallerSecret | null,
  { document, ...options }: ConnectOptions,
): Promise<OpenFacade> {
  const kept = new KeptDescriptions(config.upstream, secret, document !== undefined);
  const openAgain = (): Promise<OpenFacade> => {
    kept.dropAll();
    return openFacade(config, secret, options, kept);
  };
  let opened: OpenFacade;
  try {
    opened = await openFacade(config, secret, options, kept);
  } catch (error) {
    if (!isUnknownCredential(error)) throw error;
    const mayHaveOtherHeader = secret?.header === null && kept.areUsed;
    kept.dropOwn();
    if (!mayHaveOtherHeader) throw error;
    return openAgain();
  }
  if (document === undefined || !kept.areUsed) return opened;
  if (validate(opened.session.served.schema, document).length === 0) return opened;
  await opened.facade.close();
  return openAgain();
}

/** Whether an error means that the API does not know a credential. */
export const isUnknownCredential = (error: unknown): boolean =>
  error instanceof OptiongraphError && error.code === 'CREDENTIALS_UNKNOWN';

/**
 * Opens a facade, and verifies the credential. The operator's description decides names and types, as on a server: the one for
 * `UPSTREAM_AUTHORIZATION`, else the anonymous one. Where the API describes nothing to anonymous callers, the caller's own decides.
 * @param kept Keeps the descriptions; null: nothing does.
 */
export async function openFacade(
  config: FacadeConfig,
  secret: CallerSecret | null,
  options: Omit<ConnectOptions, 'document'>,
  kept: KeptDescriptions | null,
): Promise<OpenFacade> {
  const own = credentialOf(secret);
  const createFor = (operator: Credential | null): Promise<Facade> => {
    const operatorCalls = operator === null ? secret === null : operator.key === own?.key;
    return createFacadeFor(config, operator, operatorCalls, options, kept);
  };
  const { authorization: operator } = config.upstream;
  const facade = await createFor(operator).catch((error: unknown) => {
    if (operator !== null && isUnknownCredential(error))
      throw new CommandError(
        EXIT_CODES.credentials,
        "The management API does not know the operator's credential. Check UPSTREAM_AUTHORIZATION.",
        error,
      );
    const isMissing = error instanceof OptiongraphError && error.code === 'CREDENTIALS_MISSING';
    if (!isMissing || own === null) throw error;
    return createFor(own);
  });
  try {
    const credential = own ?? tokenCredential(secret, facade);
    const header = (given: string): string | null => {
      const name = given.toLowerCase();
      if (name === 'accept-language') return config.language;
      return name === credential?.header ? credential.value : null;
    };
    const requester = { header, address: undefined, requestId: randomUUID(), signal: undefined };
    const session = await facade.openSession(requester);
    if (session.caller.key !== (credential?.key ?? 'anonymous')) throw new UnknownCredentialsError();
    return { facade, session, header };
  } catch (error) {
    await facade.close();
    throw error;
  }
}

async function createFacadeFor(
  { upstream, overrides, proxy, language }: FacadeConfig,
  operator: Credential | null,
  operatorCalls: boolean,
  options: Omit<ConnectOptions, 'document'>,
  kept: KeptDescriptions | null,
): Promise<Facade> {
  const { url, version, languageHeader } = upstream;
  if (url === null) throw new TypeError('a command needs an upstream or the sandbox');
  return createFacade({
    ...options,
    upstream: url,
    version,
    languageHeader,
    // One description in the language of the command is enough, and none of these is kept.
    ...(language === null ? {} : { language }),
    descriptionCredential: operator,
    callers: { operatorCalls },
    keeperFor: kept === null || language !== null ? null : (credential) => kept.keeperFor(credential),
    observer: kept === null ? {} : forgetWhenContradicted(kept),
    overrides,
    transport: { ...transportOf(upstream), proxy },
    log: createLog((line) => note(String(JSON.parse(line).msg)), 'error'),
  });
}

/** The credential of a secret; null without one, and while the header of tokens is not known. */
const credentialOf = (secret: CallerSecret | null): Credential | null =>
  secret === null || secret.header === null
    ? null
    : createCredential(secret.kind, secret.header, secret.value);

/** @throws CommandError when the API describes no tokens. */
function tokenCredential(secret: CallerSecret | null, { schema }: Facade): Credential | null {
  if (secret === null) return null;
  const { token } = schema.description.authentication;
  if (token !== null) return createCredential(secret.kind, token.httpHeader.toLowerCase(), secret.value);
  throw new CommandError(
    EXIT_CODES.credentials,
    'The API describes no tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.',
  );
}

/** Forgets descriptions when an action is refused or its path does not exist, and when a response is not as described. */
const forgetWhenContradicted = (kept: KeptDescriptions): Observer => ({
  upstreamCall: ({ action, template }) => {
    if (action === null) return undefined;
    // A path with ids may be that of a missing object.
    const hasIds = /[{:]/.test(template);
    return ({ status }) => {
      if (status === 403 || (status === 404 && !hasIds)) kept.dropAll();
    };
  },
  invalidResponse: () => kept.dropAll(),
});
