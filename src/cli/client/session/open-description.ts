// Reads what an API describes to everybody, without a schema.
import type { Description } from '../../../upstream/description/description.ts';
import { createDescriptionSource } from '../../../upstream/description/description-source.ts';
import { keepDescription } from '../../../upstream/description/kept-description.ts';
import { parseDescription } from '../../../upstream/description/parse-description.ts';
import { explainToOperator } from '../../../upstream/explain-failure.ts';
import { retryReads } from '../../../upstream/http/repeat-reads.ts';
import { createTransport } from '../../../upstream/http/transport.ts';
import type { Connections } from '../login/oauth-provider.ts';
import type { CallerDescription } from './caller-description.ts';

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
