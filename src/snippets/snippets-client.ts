import type { ErrorPlace } from '../upstream/errors/optiongraph-error.ts';
import { ActionFailedError, UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { parseJson } from '../upstream/http/envelope.ts';
import { createTransport, type TransportOptions, type TransportRequest } from '../upstream/http/transport.ts';
import { entriesOf, isObject, isStringList, type JsonObject, textOf } from '../upstream/reader.ts';

/** On whose behalf the service is asked. */
export interface SnippetsCaller {
  /** A secret: never logged, never part of an error. Null: anonymous. */
  readonly apiKey: string | null;
  /** Further headers that are passed on. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Parameters of a command by the service's names; what is omitted is not sent. */
export type SnippetParameters = Readonly<Record<string, string>>;

/** One language that a snippet may name. */
export interface SnippetLanguage {
  readonly name: string;
  /** For people; null where the service tells names only. */
  readonly label: string | null;
}

/** Talks to one snippet service (spec: Snippet service). */
export interface SnippetsClient {
  /** Creates a snippet, with one request. */
  create(
    parameters: SnippetParameters,
    caller: SnippetsCaller,
    sending?: Sending,
  ): Promise<Answered<{ readonly url: string }>>;
  listLanguages(
    caller: SnippetsCaller,
    sending?: Sending,
  ): Promise<Answered<{ readonly languages: readonly SnippetLanguage[] }>>;
  detectLanguage(
    parameters: SnippetParameters,
    caller: SnippetsCaller,
    sending?: Sending,
  ): Promise<Answered<{ readonly language: string }>>;
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>;
}

/** How a request is sent: what aborts it, and what is called once it goes out. */
type Sending = Pick<TransportRequest, 'signal' | 'onSent'>;

type Answered<T> = T & { readonly status: number };

/** The commands, as traces and errors name them. */
export const COMMANDS = {
  create: { action: 'snippet_service#create', path: '/api/paste/' },
  listLanguages: { action: 'snippet_service#list_languages', path: '/api/languages/' },
  detectLanguage: { action: 'snippet_service#detect_language', path: '/api/detect-language/' },
} as const;

type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
type Place = Required<ErrorPlace> & { readonly status: number };

const PEER = 'snippet service';

/** A service of short answers: no use in waiting long for one, or in reading a long one. */
const TRANSPORT: TransportOptions = { connections: 8, timeout: 15_000, maxResponseBytes: 1024 * 1024 };

/**
 * Makes a client of the service at an address. All its calls reject with the kinds of `upstream/errors.ts`.
 * @param transport Over the defaults of 8 connections, 15,000 ms and 1 MiB.
 */
export function createSnippetsClient(url: URL, transport: TransportOptions = {}): SnippetsClient {
  const { send, close } = createTransport(url.origin, { ...TRANSPORT, ...transport }, PEER);
  const base = url.pathname.replace(/\/$/, '');

  async function get(
    { action, path }: Command,
    { apiKey, headers }: SnippetsCaller,
    sending: Sending | undefined,
  ) {
    const query = new URLSearchParams({ format: 'json', ...keyOf(apiKey) });
    const answer = await send({
      method: 'GET',
      path: `${base}${path}?${query}`,
      headers: { ...headers, accept: 'application/json' },
      scope: action,
      ...sending,
    });
    return { ...answer, place: { action, status: answer.status } };
  }

  async function post(
    { action, path }: Command,
    parameters: SnippetParameters,
    { apiKey, headers }: SnippetsCaller,
    sending: Sending | undefined,
  ) {
    const answer = await send({
      method: 'POST',
      path: `${base}${path}`,
      headers: {
        ...headers,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ ...parameters, format: 'json', ...keyOf(apiKey) }).toString(),
      scope: action,
      ...sending,
    });
    return { ...answer, place: { action, status: answer.status } };
  }

  return {
    async create(parameters, caller, sending) {
      const { body, place } = await post(COMMANDS.create, parameters, caller, sending);
      return { status: place.status, url: readUrl(readAnswer(body, place)['url'], place) };
    },
    async listLanguages(caller, sending) {
      const { body, place } = await get(COMMANDS.listLanguages, caller, sending);
      return { status: place.status, languages: readLanguages(body, place) };
    },
    async detectLanguage(parameters, caller, sending) {
      const { body, place } = await post(COMMANDS.detectLanguage, parameters, caller, sending);
      const language = textOf(readAnswer(body, place)['language']);
      if (language === null || language === '') throw lacks('a language', place);
      return { status: place.status, language };
    },
    close,
  };
}

const keyOf = (apiKey: string | null): SnippetParameters => (apiKey === null ? {} : { api_key: apiKey });

/** An answer that is an object and no refusal. Refusals come with any status: the body tells. */
function readAnswer(body: string, place: Place): JsonObject {
  const answer = parseAnswer(body, place);
  if (!isObject(answer)) throw lacks('an object', place);
  if (answer['error'] !== undefined) throw refusalOf(answer['error'], place);
  return answer;
}

/** By name, with labels, or names alone: the specification tells no more than that they are languages. */
function readLanguages(body: string, place: Place): readonly SnippetLanguage[] {
  const answer = parseAnswer(body, place);
  const entries: readonly (readonly [string, unknown])[] = isStringList(answer)
    ? answer.map((name) => [name, null])
    : entriesOf(answer);
  if (entries.length === 0 || entries.some(([, label]) => label !== null && typeof label !== 'string'))
    throw lacks('languages', place);
  return entries.map(([name, label]) => ({ name, label: textOf(label) }));
}

function parseAnswer(body: string, place: Place): unknown {
  // The service's public implementation refuses a key with a page.
  if (isKeyRefused(place) && !body.trimStart().startsWith('{')) throw refusalOf(undefined, place);
  const answer = parseJson(body, place, PEER);
  if (place.status >= 400) throw refusalOf(isObject(answer) ? answer['error'] : undefined, place);
  return answer;
}

const isKeyRefused = ({ status }: Place): boolean => status === 401 || status === 403;

/** What the service refused: in one sentence, or in sentences by parameter. */
function refusalOf(error: unknown, place: Place): ActionFailedError {
  const errors = new Map(
    Object.entries(isObject(error) ? error : {}).flatMap(([parameter, messages]) => {
      const list = typeof messages === 'string' ? [messages] : messages;
      return isStringList(list) ? [[parameter, list] as const] : [];
    }),
  );
  const message = textOf(error) ?? [...errors.values()].flat().join(' ');
  const silent = isKeyRefused(place)
    ? 'The snippet service wants an API key that it knows.'
    : 'The snippet service refused the call and gave no reason.';
  // The caller's session with the API is as good as before: a key that the service does not know is a lack of rights there.
  const status = place.status === 401 ? 403 : place.status;
  return new ActionFailedError({ ...place, status }, message === '' ? silent : message, errors);
}

/** An address that a browser may be sent to. */
function readUrl(value: unknown, place: Place): string {
  const url = textOf(value);
  if (url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw lacks("the snippet's address", place);
}

const lacks = (what: string, place: Place): UpstreamProtocolError =>
  new UpstreamProtocolError(`The snippet service's answer lacks ${what}.`, place);
