// Fetches descriptions from the upstream by `OPTIONS`.
import { hash } from 'node:crypto';
import {
  DescriptionError,
  MissingCredentialsError,
  UnknownCredentialsError,
  UpstreamProtocolError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
  VersionUnknownError,
} from '../errors.ts';
import { type Envelope, parseEnvelope } from '../http/action-client.ts';
import type { Credential } from '../http/caller.ts';
import { createCaller } from '../http/caller.ts';
import { type ClientHeaders, NO_CLIENT } from '../http/client-headers.ts';
import { DEFAULT_LANGUAGE, LANGUAGE_HEADER, type LanguageOptions } from '../http/languages.ts';
import { fillPath } from '../http/request-path.ts';
import type { Transport, TransportRequest, TransportResponse } from '../http/transport.ts';
import { isObject } from '../json.ts';
import type { Action } from './description.ts';

/**
 * Longest time of a verification, which takes the API milliseconds. All operations of its credential wait for it, so one that hangs is
 * given up soon and sent once more. Milliseconds.
 */
const VERIFICATION_TIMEOUT = 3_000;

/** A description, not parsed yet. */
export interface DescriptionText {
  /** Hash of the response's body. Callers with equal rights have equal fingerprints. */
  readonly fingerprint: string;
  /** Length of the body, in characters. */
  readonly length: number;
  /**
   * Parses the body as JSON.
   * @throws DescriptionError when it holds no description.
   */
  read(): unknown;
}

/** How a description is fetched, or a credential verified. */
interface DescribeOptions extends Pick<TransportRequest, 'cause' | 'timeout'> {
  /** The headers about the client for which the call is made; default: it is made for none. */
  readonly clientHeaders?: ClientHeaders;
  /** Tags of languages with commas between them. The upstream chooses the first that it has. Default: the operator's language. */
  readonly language?: string;
}

/**
 * Fetches the descriptions of one API version, which depend on the caller (specification: Versioning 3). Every method rejects with
 * DescriptionError when the server does not speak the protocol, and with the transport's errors when it cannot be reached.
 */
export class DescriptionSource {
  readonly #transport: Transport;
  readonly #base: string;
  readonly #version: string | null;
  readonly #language: string;
  readonly #languageHeader: string;

  /**
   * @param base Path of the API, ending in a slash.
   * @param version Version of the API; null for the upstream's default.
   */
  constructor(
    transport: Transport,
    base: string,
    version: string | null,
    { language = DEFAULT_LANGUAGE, languageHeader = LANGUAGE_HEADER }: LanguageOptions = {},
  ) {
    this.#transport = transport;
    this.#base = base;
    this.#version = version;
    this.#language = language;
    this.#languageHeader = languageHeader;
  }

  /**
   * Checks that the upstream has the version.
   * @param credential The credential to ask with, which some servers need for that; null for none.
   * @throws VersionUnknownError when it does not, DescriptionError when it answers no list of versions.
   */
  async checkVersion(credential: Credential | null): Promise<void> {
    const version = this.#version;
    if (version === null) return;
    const path = `${this.#base}?describe=versions`;
    const response = parseResponse(await this.#describe(path, credential), path);
    const listed = isObject(response) ? response['versions'] : null;
    const versions = Array.isArray(listed) ? listed.map(String) : null;
    if (versions === null || versions.includes(version)) return;
    throw new VersionUnknownError(
      `The API has no version ${JSON.stringify(version)}; it has ${versions.join(', ')}.`,
    );
  }

  /**
   * Fetches the description for a credential; null for anonymous. A successful fetch does not verify the credential.
   * @throws UnknownCredentialsError or MissingCredentialsError when the upstream describes nothing for it.
   */
  async fetch(credential: Credential | null, options?: DescribeOptions): Promise<DescriptionText> {
    const version = this.#version;
    const path =
      version === null ? `${this.#base}?describe=default` : `${this.#base}v${encodeURIComponent(version)}/`;
    const answer = await this.#describe(path, credential, options);
    return {
      fingerprint: hash('sha256', answer.body, 'base64'),
      length: answer.body.length,
      read: () => parseResponse(answer, path),
    };
  }

  /**
   * Verifies a credential by `OPTIONS` of an action that needs one. The upstream answers an unknown credential as it answers
   * anonymous callers.
   * @throws UnknownCredentialsError when the upstream does not know the credential, UpstreamProtocolError when its response
   *   does not show whether it does, UpstreamTimeoutError after two attempts of three seconds.
   */
  async verifyCredential(
    credential: Credential,
    { path, method, scope: action }: Action,
    options?: DescribeOptions,
  ): Promise<void> {
    // It works with any id, because `OPTIONS` reads no object.
    const ids = path.placeholders.map(() => '0');
    const sent = { ...options, timeout: VERIFICATION_TIMEOUT };
    const send = () => this.#send(`${fillPath(path, ids)}?method=${method}`, path.text, credential, sent);
    const { status } = await send().catch((error: unknown) => {
      if (error instanceof UpstreamTimeoutError) return send();
      throw error;
    });
    if (status === 401) throw new UnknownCredentialsError();
    // 403: the upstream knows the credential, which must not use this action.
    if (status === 200 || status === 403) return;
    throw new UpstreamProtocolError(
      'The response of the management API does not show whether it knows the credential of the request.',
      { action, status },
    );
  }

  async #describe(
    path: string,
    credential: Credential | null,
    options?: DescribeOptions,
  ): Promise<TransportResponse> {
    const answer = await this.#send(path, path, credential, options);
    if (answer.status !== 401) return answer;
    // The API itself describes something to everybody, but a proxy in front of it may not.
    throw credential === null ? new MissingCredentialsError() : new UnknownCredentialsError();
  }

  #send(
    path: string,
    template: string,
    credential: Credential | null,
    { clientHeaders = NO_CLIENT, cause, language, timeout }: DescribeOptions = {},
  ): Promise<TransportResponse> {
    // An upstream without the language answers in the operator's, as it does without this request.
    const accepted = language === undefined ? this.#language : `${language}, ${this.#language};q=0.1`;
    const { requestHeaders: headers } = createCaller(credential, {
      clientHeaders,
      headers: { [this.#languageHeader]: accepted },
    });
    return this.#transport.send({ kind: 'read', timeout, method: 'OPTIONS', path, template, cause, headers });
  }
}

function parseResponse({ status, body }: TransportResponse, path: string): unknown {
  // A failing server does not show whether it speaks the protocol; one without OPTIONS (501) does.
  if (status >= 500 && status !== 501)
    throw new UpstreamUnreachableError(
      `OPTIONS ${path} was answered with status ${status}.`,
      { status },
      { mayHaveArrived: true },
    );
  let envelope: Envelope;
  try {
    // Bounds in it are numbers, however large.
    envelope = parseEnvelope(body, { status }, JSON.parse);
  } catch (cause) {
    throw new DescriptionError(
      `OPTIONS ${path} was answered with status ${status} and no envelope: this is not a HaveAPI server.`,
      { status },
      { cause },
    );
  }
  const { response, message } = envelope;
  if (envelope.status && isObject(response)) return response;
  throw new DescriptionError(
    `OPTIONS ${path} was answered without a description${message === null ? '' : `: ${message}`}.`,
  );
}
