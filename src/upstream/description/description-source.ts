import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { UnknownCredentialsError } from '../errors/request-errors.ts';
import {
  DescriptionError,
  UpstreamProtocolError,
  UpstreamUnreachableError,
  VersionUnknownError,
} from '../errors/upstream-errors.ts';
import { headersOf } from '../http/action-client.ts';
import type { Credential } from '../http/authentication.ts';
import { type Envelope, parseEnvelope } from '../http/envelope.ts';
import { fillPath } from '../http/path-template.ts';
import type { Transport, TransportResponse } from '../http/transport.ts';
import { isObject } from '../reader.ts';
import type { Action } from './description.ts';

/** Labels and messages in a description follow the language asked for, so one language is fixed. */
const DESCRIPTION_LANGUAGE = 'en';

/** Descriptions fetched at once: each is a second of the upstream's work, and more only queue up behind each other. */
const AT_ONCE = 2;

/** A description as it came, not parsed yet. */
export interface DescriptionText {
  /** The same for callers of equal rights: a hash of the bytes that the upstream answered. */
  readonly fingerprint: string;
  /** Length of the text, in characters. */
  readonly length: number;
  /** What the answer holds. @throws DescriptionError when it holds no description. */
  read(): unknown;
}

/** One version's description at the upstream, as each caller sees it. */
export interface DescriptionSource {
  /** Asks whether the upstream has the version. @throws VersionUnknownError, DescriptionError */
  checkVersion(): Promise<void>;
  /** Fetches the description that a credential sees (null: the anonymous one). It is not proved that the upstream knows it. */
  fetch(credential: Credential | null): Promise<DescriptionText>;
  /**
   * Asks the upstream whether it knows a credential, by `OPTIONS` of an action that needs one: the upstream tells one that it does
   * not know what it tells anonymous callers.
   * @param address The client's, which is passed on.
   * @throws UnknownCredentialsError when it does not, UpstreamProtocolError when the answer tells neither.
   */
  verifyCredential(credential: Credential, guard: Action, address?: string): Promise<void>;
}

/**
 * Makes the source of one version's descriptions (spec: Versioning 3). Every call of it rejects with DescriptionError when the
 * server speaks another protocol, and with the transport's kinds when it cannot be reached.
 * @param base Path that the API is mounted at, ending in a slash.
 * @param version Null for the upstream's default.
 */
export function createDescriptionSource(
  transport: Transport,
  base: string,
  version: string | null,
): DescriptionSource {
  const options = (
    path: string,
    credential: Credential | null,
    address?: string,
  ): Promise<TransportResponse> =>
    transport.send({
      method: 'OPTIONS',
      path,
      headers: headersOf({
        credential,
        headers: {
          'accept-language': DESCRIPTION_LANGUAGE,
          ...(address === undefined ? {} : { 'x-forwarded-for': address }),
        },
      }),
    });
  const verifyCredential = async (credential: Credential, guard: Action, address?: string): Promise<void> => {
    const { status } = await options(helpOf(guard), credential, address);
    if (status === 401) throw new UnknownCredentialsError();
    // 403: known, but not allowed to use this very action.
    if (status === 200 || status === 403) return;
    throw new UpstreamProtocolError(
      'The management API did not tell whether it knows the credential that came with the request.',
      { action: guard.scope, status },
    );
  };
  const path = version === null ? `${base}?describe=default` : `${base}v${encodeURIComponent(version)}/`;
  const limit = pLimit(AT_ONCE);

  return {
    verifyCredential,
    async checkVersion() {
      if (version === null) return;
      const list = `${base}?describe=versions`;
      const told = described(await options(list, null), list);
      const known = isObject(told) && Array.isArray(told['versions']) ? told['versions'].map(String) : null;
      if (known !== null && !known.includes(version)) {
        throw new VersionUnknownError(
          `The API has no version ${JSON.stringify(version)}; it has ${known.join(', ')}.`,
        );
      }
    },
    fetch: (credential) =>
      limit(async () => {
        const answer = await options(path, credential);
        const fingerprint = createHash('sha256').update(answer.body).digest('base64');
        return { fingerprint, length: answer.body.length, read: () => unwrap(described(answer, path)) };
      }),
  };
}

/** Path of an action's own description. Any id does: no object is looked for. */
function helpOf({ path, method }: Action): string {
  return `${fillPath(
    path,
    path.placeholders.map(() => '0'),
  )}?method=${method}`;
}

function described({ status, body }: TransportResponse, path: string): unknown {
  // A server that is ill has not told what it speaks.
  if (status >= 500)
    throw new UpstreamUnreachableError(
      `OPTIONS ${path} was answered with status ${status}.`,
      { status },
      { mayHaveArrived: true },
    );
  const { status: isGood, response, message } = envelopeOf(body, status, path);
  if (isGood && isObject(response)) return response;
  throw new DescriptionError(`OPTIONS ${path} gave no description${message === null ? '' : `: ${message}`}.`);
}

function envelopeOf(body: string, status: number, path: string): Envelope {
  try {
    return parseEnvelope(body, { status });
  } catch (cause) {
    throw new DescriptionError(
      `OPTIONS ${path} was answered with status ${status} and no envelope: this is not a HaveAPI server.`,
      { status },
      { cause },
    );
  }
}

/** Servers that ignore `describe` answer all versions at once; the default one is taken. */
function unwrap(response: unknown): unknown {
  if (!isObject(response) || 'resources' in response || !isObject(response['versions'])) return response;
  return response['versions']['default'] ?? response['versions'][String(response['default_version'])];
}
