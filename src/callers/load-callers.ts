// Fetches the operator's description, from the upstream or the cache folder, and begins to refresh it.

import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import type { SchemaExtension } from '../schema/builder.ts';
import type { Exposure } from '../schema/exposure.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import { type DescriptionLimits, SchemaRegistry } from '../schema/registry.ts';
import { SchemaAddition, type SchemaAdditionOptions } from '../schema/schema-addition.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { Description } from '../upstream/description/description.ts';
import { cacheDescription } from '../upstream/description/description-cache.ts';
import { createDescriptionSource } from '../upstream/description/description-source.ts';
import type { Credential } from '../upstream/http/caller.ts';
import { DEFAULT_LANGUAGE, type LanguageOptions } from '../upstream/http/languages.ts';
import type { Transport } from '../upstream/http/transport.ts';
import type { CallersOptions } from './caller-descriptions.ts';
import { Callers } from './callers.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import { Refresh, type RefreshOptions } from './refresh.ts';

/** The API that callers use, and how its descriptions are fetched. */
export interface LoadOptions extends Exposure, LanguageOptions {
  /** Address of the management API, with its base path. */
  readonly upstream: URL;
  /** Version of the API; default: the default version of the upstream. */
  readonly version?: string | null;
  /** The operator's credential. It fetches the base description, never a caller's data. Default: none. */
  readonly descriptionCredential?: Credential | null;
  /** Folder that stores the last good description for a start while the upstream is down; null (default): none. */
  readonly cacheDir?: string | null;
  /** Finds the facts that a description lacks; default: there are none. */
  readonly overridesFor?: (description: Description) => Overrides;
  /** Limits of descriptions and of cached schemas; default: `DEFAULT_DESCRIPTION_LIMITS`. */
  readonly limits?: Partial<DescriptionLimits>;
  /** How schemas are assigned to callers. */
  readonly callers?: CallersOptions;
  /** When the operator's description is fetched again. */
  readonly refresh?: RefreshOptions;
  readonly log: Log;
  /** Observes what the facade does; default: nobody does. */
  readonly observer?: Observer;
}

/**
 * Fetches the operator's description, makes its schema, and begins to refresh it.
 * @param addition What the library's user adds to each schema; null for nothing.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function loadCallers(
  options: LoadOptions,
  transport: Transport,
  verifier: CredentialVerifier,
  extensions: readonly SchemaExtension[],
  addition: SchemaAdditionOptions | null,
  replicas: Replicas,
): Promise<{ readonly callers: Callers; readonly refresh: Refresh }> {
  const {
    upstream,
    version = null,
    descriptionCredential: operator = null,
    cacheDir = null,
    language = DEFAULT_LANGUAGE,
    log,
    observer = {},
  } = options;
  const basePath = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
  const fetched = createDescriptionSource(transport, basePath, version, options);
  const cache =
    cacheDir === null ? null : cacheDescription(fetched, cacheDir, `${upstream.href} ${version}`, operator);
  const source = cache ?? fetched;
  await source.checkVersion(operator);
  const registry = new SchemaRegistry({
    ...options,
    extensions,
    addition: addition === null ? undefined : new SchemaAddition(addition),
    onLateFinding: ({ code, path, reason }) => log.warn(`${code}: ${reason} (${path})`, { event: 'finding' }),
    limits: options.limits,
  });
  const ownLanguage = language.toLowerCase();
  const callers = await Callers.create(
    { source, registry, verifier, operator, log, upstream, observer, replicas, ownLanguage },
    options.callers,
  );
  const onFetched = async (): Promise<void> => {
    await cache
      ?.save()
      .catch((error: unknown) => log.error('the description could not be stored in the cache folder', error));
  };
  await onFetched();
  const savedAt = cache?.savedAt ?? null;
  const fetchedAt = savedAt === null ? Date.now() : Date.parse(savedAt);
  const refresh = new Refresh(callers, { log, upstream, observer, onFetched }, fetchedAt, options.refresh);
  if (savedAt !== null) {
    log.warn(`the management API is down; its description of ${savedAt} is served until it is back`, {
      event: 'start',
    });
    refresh.fetchSoon();
  }
  return { callers, refresh };
}
