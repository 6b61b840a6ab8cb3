// Sends requests to the snippet service (specification: Snippet service).
import type { Observer } from '../../observer.ts';
import { ActionFailedError, type ErrorPlace, UpstreamProtocolError } from '../../upstream/errors.ts';
import { parseJson } from '../../upstream/http/action-client.ts';
import {
  createTransport,
  type TransportOptions,
  type TransportRequest,
} from '../../upstream/http/transport.ts';
import { entriesOf, isObject, isStringList, textOf } from '../../upstream/json.ts';

/** The caller on whose behalf a request is sent. */
export interface SnippetsCaller {
  /** A secret that logs and errors must not contain. Null for an anonymous caller. */
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A language of snippets. */
export interface SnippetLanguage {
  readonly name: string;
  /** A human-readable name. Null if the service lists only names. */
  readonly label: string | null;
}

/** The commands with their names in traces and errors. */
export const COMMANDS = {
  create: { method: 'POST', action: 'snippet_service#create', path: '/api/paste/' },
  listLanguages: { method: 'GET', action: 'snippet_service#list_languages', path: '/api/languages/' },
  detectLanguage: {
    method: 'POST',
    action: 'snippet_service#detect_language',
    path: '/api/detect-language/',
  },
} as const;

type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
type Place = Required<ErrorPlace> & { readonly status: number };
/** Parameters of a command by their names in the service. */
type Parameters = Readonly<Record<string, string>>;

const PEER = 'snippet service';

/** Responses of the service are short and fast, so the limits are low: milliseconds and bytes. */
const DEFAULT_TRANSPORT: TransportOptions = {
  ...{ connections: 8, timeout: 15_000, maxResponseBytes: 1_048_576 },
  retry: { retries: 0 },
};

/** A client of one snippet service. */
export type SnippetsClient = ReturnType<typeof createSnippetsClient>;

/**
 * Creates a client of the service at a URL. Its methods reject with the errors of `upstream/errors.ts`.
 * @param transport Overrides the defaults: 8 connections, 15,000 ms and 1 MiB for a response.
 */
export function createSnippetsClient(url: URL, transport: TransportOptions = {}, observer: Observer = {}) {
  const options = { ...DEFAULT_TRANSPORT, ...transport };
  const { send, close } = createTransport(url.origin, options, observer, PEER);
  const base = url.pathname.replace(/\/$/, '');

  /** Makes a function that sends a command, and reads its answer. */
  const command =
    <T>({ method, action, path }: Command, read: (answer: unknown, place: Place) => T) =>
    async (
      { apiKey, headers }: SnippetsCaller,
      parameters: Parameters,
      options: Pick<TransportRequest, 'signal' | 'cause' | 'meter'>,
    ) => {
      const key = apiKey === null ? {} : { api_key: apiKey };
      const form = new URLSearchParams({ ...parameters, format: 'json', ...key }).toString();
      const isGet = method === 'GET';
      const type = isGet ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      const { status, body } = await send({
        kind: action === COMMANDS.create.action ? 'write' : 'read',
        method,
        path: isGet ? `${base}${path}?${form}` : base + path,
        headers: { ...headers, accept: 'application/json', ...type },
        body: isGet ? null : form,
        scope: action,
        template: path,
        ...options,
      });
      const place = { action, status };
      return { status, value: read(parseAnswer(body, place), place) };
    };

  return {
    /** Creates a snippet with one request. Returns its URL. */
    create: command(COMMANDS.create, readUrl),
    /** Fetches the languages that snippets can have. */
    listLanguages: command(COMMANDS.listLanguages, readLanguages),
    /** Detects the language of a file. */
    detectLanguage: command(COMMANDS.detectLanguage, readLanguage),
    /** Closes all connections. Pending requests fail. */
    close,
  };
}

/** Parses an answer. @throws ActionFailedError when its status is that of a refusal. */
function parseAnswer(body: string, place: Place): unknown {
  // The public implementation of the service rejects a key with an HTML page.
  if (isKeyRejected(place) && !body.trimStart().startsWith('{')) throw createRejection(undefined, place);
  const answer = parseJson(body, place, PEER);
  if (place.status >= 400) throw createRejection(isObject(answer) ? answer['error'] : undefined, place);
  return answer;
}

/** Reads a member of an answer. @throws ActionFailedError when the answer is a refusal, which can have any status. */
function readText(answer: unknown, name: string, place: Place): string | null {
  if (!isObject(answer)) return null;
  if (answer['error'] !== undefined) throw createRejection(answer['error'], place);
  return textOf(answer[name]);
}

/** Reads the URL of a snippet, which must be safe to open in a browser. */
function readUrl(answer: unknown, place: Place): string {
  const url = readText(answer, 'url', place);
  if (url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw missingValue("the snippet's URL", place);
}

function readLanguage(answer: unknown, place: Place): string {
  const language = readText(answer, 'language', place);
  if (language === null || language === '') throw missingValue('a language', place);
  return language;
}

/** Reads languages as a map from names to labels or as a list of names. The specification does not define the format. */
function readLanguages(answer: unknown, place: Place): readonly SnippetLanguage[] {
  const entries: readonly (readonly [string, unknown])[] = isStringList(answer)
    ? answer.map((name) => [name, null])
    : entriesOf(answer);
  if (entries.length === 0 || entries.some(([, label]) => label !== null && typeof label !== 'string'))
    throw missingValue('languages', place);
  return entries.map(([name, label]) => ({ name, label: textOf(label) }));
}

const isKeyRejected = ({ status }: Place): boolean => status === 401 || status === 403;

/** Creates the error of a refusal from its message or its messages by parameter. */
function createRejection(error: unknown, place: Place): ActionFailedError {
  const errors = new Map(
    entriesOf(error).flatMap(([parameter, messages]) => {
      const list = typeof messages === 'string' ? [messages] : messages;
      return isStringList(list) ? [[parameter, list] as const] : [];
    }),
  );
  const stated = textOf(error) ?? [...errors.values()].flat().join(' ');
  const unstated = isKeyRejected(place)
    ? 'The snippet service requires a valid API key.'
    : 'The snippet service rejected the request without a reason.';
  // Status 401 would end the caller's session with the management API, which is still valid.
  const status = place.status === 401 ? 403 : place.status;
  return new ActionFailedError({ ...place, status }, stated === '' ? unstated : stated, { errors });
}

const missingValue = (what: string, place: Place): UpstreamProtocolError =>
  new UpstreamProtocolError(`The response of the snippet service lacks ${what}.`, place);
