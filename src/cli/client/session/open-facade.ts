// Opens a facade in this process for one caller.
import { randomUUID } from 'node:crypto';
import type { Session } from '../../../callers/session.ts';
import { createFacade, type Facade } from '../../../facade/facade.ts';
import type { FacadeOptions } from '../../../facade/facade-options.ts';
import { createLog } from '../../../telemetry/log.ts';
import type { Observer } from '../../../telemetry/observer.ts';
import type { DescriptionKeeper } from '../../../upstream/description/kept-description.ts';
import { UnknownCredentialsError } from '../../../upstream/errors.ts';
import type { Credential } from '../../../upstream/http/caller.ts';
import { note } from '../../output.ts';
import type { CallerConfig } from '../caller-settings.ts';

/** The settings that a facade needs. */
export type FacadeConfig = Pick<CallerConfig, 'upstream' | 'proxy' | 'overrides' | 'language'>;

/** What a command chooses of a facade. */
export type FacadeParts = Pick<FacadeOptions, 'federation' | 'keeper' | 'snippets' | 'watch'>;

/** A facade, and its caller. */
export interface OpenFacade {
  readonly facade: Facade;
  readonly session: Session;
  /** Reads the headers that carry the caller's credential and language; null for any other. */
  readonly header: (name: string) => string | null;
}

/**
 * Opens a facade, and verifies the credential.
 * @param credential Null for an anonymous caller.
 * @throws UnknownCredentialsError when the API does not know the credential, or describes no header such as its; else what `createFacade` throws.
 */
export async function openFacade(
  { upstream, overrides, proxy, language }: FacadeConfig,
  credential: Credential | null,
  options: FacadeParts,
): Promise<OpenFacade> {
  const { url, version, languageHeader, transport } = upstream;
  if (url === null) throw new TypeError('a command needs an upstream or the sandbox');
  const facade = await createFacade({
    ...options,
    upstream: url,
    version,
    languageHeader,
    descriptionCredential: credential,
    callers: { operatorCalls: true },
    observer: options.keeper ? forgetWhenContradicted(options.keeper) : {},
    overrides,
    transport: { ...transport, proxy },
    log: createLog((line) => note(String(JSON.parse(line).msg)), 'error'),
  });
  try {
    const header = (given: string): string | null => {
      const name = given.toLowerCase();
      if (name === 'accept-language') return language;
      return name === credential?.header ? credential.value : null;
    };
    const session = await facade.openSession({
      header,
      address: undefined,
      requestId: randomUUID(),
      signal: undefined,
    });
    if (session.caller.key !== (credential?.key ?? 'anonymous')) throw new UnknownCredentialsError();
    return { facade, session, header };
  } catch (error) {
    await facade.close();
    throw error;
  }
}

/** Forgets a description when an action is refused or its path does not exist, and when a response is not as described. */
const forgetWhenContradicted = (kept: Pick<DescriptionKeeper, 'drop'>): Observer => ({
  upstreamCall: ({ action, template }) => {
    if (action === null) return undefined;
    // A path with ids may be that of a missing object.
    const hasIds = /[{:]/.test(template);
    return ({ status }) => {
      if (status === 403 || (status === 404 && !hasIds)) kept.drop();
    };
  },
  invalidResponse: () => kept.drop(),
});
