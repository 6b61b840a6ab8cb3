// Connects to an API as one caller: with the description of an earlier command or a fetched one, and a credential that is verified.
import { type DocumentNode, validate } from 'graphql';
import type { Description } from '../../../upstream/description/description.ts';
import { createDescriptionSource } from '../../../upstream/description/description-source.ts';
import { keepDescription } from '../../../upstream/description/kept-description.ts';
import { parseDescription } from '../../../upstream/description/parse-description.ts';
import { OptiongraphError } from '../../../upstream/errors.ts';
import { explainToOperator } from '../../../upstream/explain-failure.ts';
import { createCredential } from '../../../upstream/http/caller.ts';
import { retryReads } from '../../../upstream/http/repeat-reads.ts';
import { createTransport } from '../../../upstream/http/transport.ts';
import { CommandError, EXIT_CODES } from '../../exit-codes.ts';
import type { CallerSecret } from '../caller-settings.ts';
import type { Connections } from '../login/oauth-provider.ts';
import { CallerDescription } from './caller-description.ts';
import { type FacadeConfig, type FacadeParts, type OpenFacade, openFacade } from './open-facade.ts';

/** How an API is opened. */
export interface ConnectOptions extends Pick<FacadeParts, 'federation' | 'watch'> {
  /**
   * What the command executes. The description of an earlier command is used for it, unless the document does not fit it.
   * Default: nothing, and the description is fetched.
   */
  readonly document?: DocumentNode;
}

/**
 * Connects to an API, and keeps its description for later commands.
 * @param secret The caller's credential; null for an anonymous caller.
 * @throws CommandError when the API describes no tokens; else what `openFacade` throws.
 */
export async function connect(
  config: FacadeConfig,
  secret: CallerSecret | null,
  options: ConnectOptions,
): Promise<OpenFacade> {
  const mayUse = options.document !== undefined;
  const kept = new CallerDescription(config.upstream, secret, mayUse);
  if (secret === null) return openFitting(config, null, kept, options);
  const { kind, value } = secret;
  const openWith = (header: string): Promise<OpenFacade> =>
    openFitting(config, createCredential(kind, header, value), kept, options);
  if (secret.header !== null) return openWith(secret.header).catch(dropUnknown(kept));
  const open = new CallerDescription(config.upstream, null, mayUse);
  const known = kept.tokenHeader ?? open.tokenHeader;
  if (known === null) return openWith(await readTokenHeader(config, open)).catch(dropUnknown(kept));
  try {
    return await openWith(known);
  } catch (error) {
    if (!isUnknownCredential(error)) throw error;
    // The header may be another than an earlier command has found.
    kept.drop();
    open.drop();
    const header = await readTokenHeader(config, open);
    if (header === known) throw error;
    return openWith(header);
  }
}

/** Whether an error means that the API does not know a credential. */
export const isUnknownCredential = (error: unknown): boolean =>
  error instanceof OptiongraphError && error.code === 'CREDENTIALS_UNKNOWN';

/** Forgets the description of a credential that has ended. */
const dropUnknown =
  (kept: CallerDescription) =>
  (error: unknown): never => {
    if (isUnknownCredential(error)) kept.drop();
    throw error;
  };

/** Opens a facade whose schema fits the document, if any does. */
async function openFitting(
  config: FacadeConfig,
  credential: Parameters<typeof openFacade>[1],
  keeper: CallerDescription,
  { document, ...options }: ConnectOptions,
): Promise<OpenFacade> {
  const opened = await openFacade(config, credential, { ...options, keeper });
  if (document === undefined || !keeper.isUsed) return opened;
  if (validate(opened.session.served.schema, document).length === 0) return opened;
  await opened.facade.close();
  keeper.drop();
  return openFacade(config, credential, { ...options, keeper });
}

async function readTokenHeader(config: FacadeConfig, open: CallerDescription): Promise<string> {
  const { token } = (await readOpenDescription(config, open)).authentication;
  if (token !== null) return token.httpHeader.toLowerCase();
  throw new CommandError(
    EXIT_CODES.credentials,
    'The API describes no tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.',
  );
}

/**
 * Fetches what the API describes to everybody, unless an earlier command has kept it. No credential is sent.
 * @param kept Where it is kept.
 * @param signal Ends the fetch. Default: nothing does.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, MissingCredentialsError
 */
export async function readOpenDescription(
  { upstream: { url, version, transport: options }, proxy }: Connections,
  kept: CallerDescription | null,
  signal?: AbortSignal,
): Promise<Description> {
  if (url === null) throw new TypeError('a description belongs to an upstream');
  const transport = createTransport(url.origin, { ...options, proxy });
  const close = (): void => void transport.close();
  signal?.addEventListener('abort', close);
  try {
    const fetching = createDescriptionSource(retryReads(transport), withSlash(url.pathname), version);
    const source = kept === null ? fetching : keepDescription(fetching, kept, null);
    await source.checkVersion(null);
    const text = await source.fetch(null);
    const description = parseDescription(text.read());
    text.share?.('');
    return description;
  } catch (error) {
    throw explainToOperator(error, url);
  } finally {
    signal?.removeEventListener('abort', close);
    await transport.close();
  }
}

const withSlash = (path: string): string => path.replace(/\/?$/, '/');
