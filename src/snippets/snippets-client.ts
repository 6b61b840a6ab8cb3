// Sends requests to the snippet service.
import type { Observer } from '../telemetry/observer.ts';
import type { ErrorPlace } from '../upstream/errors.ts';
import { ActionFailedError, UpstreamProtocolError } from '../upstream/errors.ts';
import { parseJson } from '../upstream/http/envelope.ts';
import { observeCalls } from '../upstream/http/observe-calls.ts';
import { createTransport, type TransportOptions, type TransportRequest } from '../upstream/http/transport.ts';
import { entriesOf, isObject, isStringList, type JsonObject, textOf } from '../upstream/json.ts';

/** The caller on whose behalf a request is sent. */
export interface SnippetsCaller {
  /** A secret that logs and errors must not contain. Null for an anonymous caller. */
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Parameters of a command by their names in the service. Omitted parameters are not sent. */
export type SnippetParameters = Readonly<Record<string, string>>;

/** A language of snippets. */
export interface SnippetLanguage {
  readonly name: string;
  /** A human-readable name. Null if the service lists only names. */
  readonly label: string | null;
}

/** A client of one snippet service (specification: Snippet service). */
export type SnippetsClient = ReturnType<typeof createSnippetsClient>;

/** Options of a request: its abort signal, its cause, and a callback that is called when the request is sent. */
type SendOptions = Pick<TransportRequest, 'signal' | 'cause' | 'onSent'>;

/** The commands with their names in traces and errors. */
export const COMMANDS = {
  create: { action: 'snippet_service#create', path: '/api/paste/' },
  listLanguages: { action: 'snippet_service#list_languages', path: '/api/languages/' },
  detectLanguage: { action: 'snippet_service#detect_language', path: '/api/detect-language/' },
} as const;

type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
type Place = Required<ErrorPlace> & { readonly status: number };

const PEER = 'snippet service';

/** Responses of the service are short and fast, so the limits are low. */
const DEFAULT_TRANSPORT: TransportOptions = {
  connections: 8,
  timeout: 15_000,
  maxResponseBytes: 1024 * 1024,
};

/**
 * Creates a client of the service at a URL. Its methods reject with the errors of `upstream/errors.ts`.
 * @param transport Overrides the defaults: 8 connections, a timeout of 15,000 ms and 1 MiB for a response.
 */
export function createSnippetsClient(url: URL, transport: TransportOptions = {}, observer: Observer = {}) {
  const { send, close } = observeCalls(
    createTransport(url.origin, { ...DEFAULT_TRANSPORT, ...transport }, PEER),
    url.origin,
    observer,
  );
  const base = url.pathname.replace(/\/$/, '');

  /** @param parameters Sent with POST; null sends a GET. */
  async function call(
    { action, path }: Command,
    parameters: SnippetParameters | null,
    { apiKey, headers }: SnippetsCaller,
    options: SendOptions | undefined,
  ) {
    const key = apiKey === null ? {} : { api_key: apiKey };
    const form = new URLSearchParams({ ...parameters, format: 'json', ...key }).toString();
    const isRead = parameters === null;
    const { status, body } = await send({
      isRead,
      method: isRead ? 'GET' : 'POST',
      path: isRead ? `${base}${path}?${form}` : `${base}${path}`,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(isRead ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: isRead ? null : form,
      scope: action,
      template: path,
      ...options,
    });
    return { body: body.text, place: { action, status } };
  }

  return {
    /** Creates a snippet with one request. */
    async create(parameters: SnippetParameters, caller: SnippetsCaller, options?: SendOptions) {
      const { body, place } = await call(COMMANDS.create, parameters, caller, options);
      return { status: place.status, url: readUrl(readResponse(body, place)['url'], place) };
    },
    /** Fetches the languages that snippets can have. */
    async listLanguages(caller: SnippetsCaller, options?: SendOptions) {
      const { body, place } = await call(COMMANDS.listLanguages, null, caller, options);
      return { status: place.status, languages: readLanguages(body, place) };
    },
    /** Detects the language of a file from its name, its text or both. */
    async detectLanguage(parameters: SnippetParameters, caller: SnippetsCaller, options?: SendOptions) {
      const { body, place } = await call(COMMANDS.detectLanguage, parameters, caller, options);
      const language = textOf(readResponse(body, place)['language']);
      if (language === null || language === '') throw missingValue('a language', place);
      return { status: place.status, language };
    },
    /** Closes all connections. Pending requests fail. */
    close,
  };
}

/** Reads a response that must be an object. A rejection can have any status, so the body decides. */
function readResponse(body: string, place: Place): JsonObject {
  const response = parseResponse(body, place);
  if (!isObject(response)) throw missingValue('an object', place);
  if (response['error'] !== undefined) throw createRejection(response['error'], place);
  return response;
}

/** Reads languages as a map from names to labels or as a list of names. The specification does not define the format. */
function readLanguages(body: string, place: Place): readonly SnippetLanguage[] {
  const response = parseResponse(body, place);
  const entries: readonly (readonly [string, unknown])[] = isStringList(response)
    ? response.map((name) => [name, null])
    : entriesOf(response);
  if (entries.length === 0 || entries.some(([, label]) => label !== null && typeof label !== 'string'))
    throw missingValue('languages', place);
  return entries.map(([name, label]) => ({ name, label: textOf(label) }));
}

function parseResponse(body: string, place: Place): unknown {
  // The public implementation of the service rejects a key with an HTML page.
  if (isKeyRejected(place) && !body.trimStart().startsWith('{')) throw createRejection(undefined, place);
  const response = parseJson(body, place, PEER);
  if (place.status >= 400) throw createRejection(isObject(response) ? response['error'] : undefined, place);
  return response;
}

const isKeyRejected = ({ status }: Place): boolean => status === 401 || status === 403;

/** Creates the error of a rejection from its message or its messages by parameter. */
function createRejection(error: unknown, place: Place): ActionFailedError {
  const errors = new Map(
    Object.entries(isObject(error) ? error : {}).flatMap(([parameter, messages]) => {
      const list = typeof messages === 'string' ? [messages] : messages;
      return isStringList(list) ? [[parameter, list] as const] : [];
    }),
  );
  const message = textOf(error) ?? [...errors.values()].flat().join(' ');
  const defaultMessage = isKeyRejected(place)
    ? 'The snippet service requires a valid API key.'
    : 'The snippet service rejected the request without a reason.';
  // Status 401 would end the caller's session with the management API, which is still valid.
  const status = place.status === 401 ? 403 : place.status;
  return new ActionFailedError({ ...place, status }, message === '' ? defaultMessage : message, errors);
}

/** Reads the URL of a snippet, which must be safe to open in a browser. */
function readUrl(value: unknown, place: Place): string {
  const url = textOf(value);
  if (url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw missingValue("the snippet's URL", place);
}

const missingValue = (what: string, place: Place): UpstreamProtocolError =>
  new UpstreamProtocolError(`The response of the snippet service lacks ${what}.`, place);
