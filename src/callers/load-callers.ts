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
import type { SchemaMode } from './caller-descriptions.ts';
import { Callers } from './callers.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import { Refresh, type RefreshOptions } from './refresh.ts';

/** The API that callers use, and how its descriptions are fetched. */
export interface DescribedApiOptions extends Exposure, LanguageOptions {
  /** Address of the management API, with its base path. */
  readonly upstream: URL;
  /** Version of the API; default: the default version of the upstream. */
  readonly version?: string | null;
  /** The operator's credential. It fetches the base description, never a caller's data. Default: none. */
  readonly descriptionCredential?: Credential | null;
  /** Folder that stores the last good description for a start while the upstream is down; null (default): none. */
  readonly cacheDir?: string | null;
  /** Limits of descriptions and of cached schemas; default: `DEFAULT_DESCRIPTION_LIMITS`. */
  readonly limits?: Partial<DescriptionLimits>;
  /** How schemas are assigned to callers; default: `caller`. */
  readonly schemaMode?: SchemaMode;
  /** When the operator's description is fetched again. */
  readonly refresh?: RefreshOptions;
  readonly log: Log;
  /** Observes what the facade does; default: nobody does. */
  readonly observer?: Observer;
}

/** The parts of a facade with which callers are loaded. */
export interface LoadOptions extends DescribedApiOptions {
  readonly transport: Transport;
  readonly verifier: CredentialVerifier;
  readonly replicas: Replicas;
  readonly extensions: readonly SchemaExtension[];
  /** What the library's user adds to each schema; null for nothing. */
  readonly addition: SchemaAdditionOptions | null;
  /** Finds the facts that a description lacks. */
  readonly overridesFor: (description: Description) => Overrides;
}

/** The callers of an API, and the refresh of their descriptions. */
export interface LoadedCallers {
  readonly callers: Callers;
  readonly refresh: Refresh;
}

/**
 * Fetches the operator's description, makes its schema, and begins to refresh it.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function loadCallers(options: LoadOptions): Promise<LoadedCallers> {
  const { upstream, version = null, descriptionCredential: operator = null, cacheDir = null } = options;
  const { language = DEFAULT_LANGUAGE, schemaMode = 'caller', log, observer = {} } = options;
  const { transport, verifier, replicas, addition } = options;
  const basePath = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
  const fetched = createDescriptionSource(transport, basePath, version, options);
  const cache =
    cacheDir === null ? null : cacheDescription(fetched, cacheDir, `${upstream.href} ${version}`, operator);
  const source = cache ?? fetched;
  await source.checkVersion(operator);
  const registry = new SchemaRegistry({
    ...options,
    addition: addition === null ? undefined : new SchemaAddition(addition),
    onLateFinding: ({ code, path, reason }) => log.warn(`${code}: ${reason} (${path})`, { event: 'finding' }),
  });
  const ownLanguage = language.toLowerCase();
  const parts = { source, registry, verifier, operator, log, upstream, observer, replicas };
  const callers = await Callers.create({ ...parts, ownLanguage, schemaMode });
  const onFetched = async (): Promise<void> => {
    await cache
      ?.save()
      .catch((error: unknown) => log.error('the description could not be stored in the cache folder', error));
  };
  await onFetched();
  const savedAt = cache?.savedAt ?? null;
  const fetchedAt = savedAt === null ? Date.now() : Date.parse(savedAt);
  const refresh = new Refresh({ ...options.refresh, callers, log, upstream, observer, onFetched, fetchedAt });
  if (savedAt !== null) {
    log.warn(`the management API is down; its description of ${savedAt} is served until it is back`, {
      event: 'start',
    });
    refresh.fetchSoon();
  }
  return { callers, refresh };
}
