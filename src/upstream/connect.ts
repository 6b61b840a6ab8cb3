import type { Credential } from './authentication.ts';
import { headersOf } from './client.ts';
import { type Envelope, parseEnvelope } from './envelope.ts';
import { DescriptionError, VersionUnknownError } from './errors.ts';
import { isObject } from './reader.ts';
import type { Transport } from './transport.ts';

/** Which description is wanted. */
export interface DescriptionRequest {
  /** Version of the API; null for the upstream's default. */
  readonly version: string | null;
  /** Used for this request only; what it may not see is not described. */
  readonly credential: Credential | null;
  readonly signal?: AbortSignal;
}

/** Labels and messages in a description follow the language asked for, so one language is fixed. */
const DESCRIPTION_LANGUAGE = 'en';

/**
 * Fetches one version's description (spec: Versioning 3), unparsed.
 * @param base Path that the API is mounted at, ending in a slash.
 * @throws DescriptionError when the server speaks another protocol, VersionUnknownError when it lacks the version, and the
 *   transport's kinds when it cannot be reached.
 */
export async function fetchDescription(
  transport: Transport,
  base: string,
  { version, credential, signal }: DescriptionRequest,
): Promise<unknown> {
  const describe = async (path: string): Promise<Envelope> => {
    const { status, body } = await transport.send({
      method: 'OPTIONS',
      path,
      headers: headersOf({ credential, headers: { 'accept-language': DESCRIPTION_LANGUAGE } }),
      signal,
    });
    try {
      return parseEnvelope(body, { status });
    } catch (cause) {
      throw new DescriptionError(
        `OPTIONS ${path} was answered with status ${status} and no envelope: this is not a HaveAPI server.`,
        { status },
        { cause },
      );
    }
  };
  const described = (envelope: Envelope, path: string): unknown => {
    if (!envelope.status || !isObject(envelope.response)) {
      throw new DescriptionError(
        `OPTIONS ${path} gave no description${envelope.message === null ? '' : `: ${envelope.message}`}.`,
      );
    }
    return envelope.response;
  };

  if (version === null) {
    const path = `${base}?describe=default`;
    return unwrapVersions(described(await describe(path), path));
  }
  const path = `${base}?describe=versions`;
  const list = described(await describe(path), path);
  const known = isObject(list) && Array.isArray(list['versions']) ? list['versions'].map(String) : null;
  if (known !== null && !known.includes(version)) {
    throw new VersionUnknownError(
      `The API has no version ${JSON.stringify(version)}; it has ${known.join(', ')}.`,
    );
  }
  const versionPath = `${base}v${encodeURIComponent(version)}/`;
  return described(await describe(versionPath), versionPath);
}

/** Servers that ignore `describe` answer all versions at once; the default one is taken. */
function unwrapVersions(response: unknown): unknown {
  if (!isObject(response) || 'resources' in response || !isObject(response['versions'])) return response;
  return response['versions']['default'] ?? response['versions'][String(response['default_version'])];
}
