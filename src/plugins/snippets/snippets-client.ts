// Sends commands to the snippet service (specification: Snippet service).
import type { Sending } from '../../loaders/operation-calls.ts';
import type { Observer } from '../../observer.ts';
import type { SchemaContext } from '../../schema/builder.ts';
import {
  ActionFailedError,
  AmbiguousCredentialsError,
  type ErrorPlace,
  UpstreamProtocolError,
} from '../../upstream/errors.ts';
import { parseJson } from '../../upstream/http/action-client.ts';
import { type HeaderReader, readSecret } from '../../upstream/http/caller.ts';
import { createTransport, type TransportOptions } from '../../upstream/http/transport.ts';
import { entriesOf, isObject, isStringList, textOf } from '../../upstream/json.ts';

/** A snippet service whose fields are part of the same schema. */
export interface SnippetsOptions {
  /** Address of the service, with its base path. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they use the service anonymously. */
  readonly apiKey?: string | null;
  /** Overrides the defaults: 8 connections, 15,000 ms and 1 MiB for a response. */
  readonly transport?: TransportOptions;
}

/** The request header, or key of `connectionParams` on a WebSocket, with the caller's API key. */
export const KEY_HEADER = 'X-Snippets-Api-Key';

/** A command of the service. Its action names it in traces and errors. */
interface Command<T> {
  readonly method: 'GET' | 'POST';
  readonly action: string;
  readonly path: string;
  /** Reads its answer. */
  readonly read: (answer: unknown, place: Place) => T;
}

const declare = <T>(
  method: 'GET' | 'POST',
  name: string,
  path: string,
  read: Command<T>['read'],
): Command<T> => ({
  method,
  path,
  read,
  action: `snippet_service#${name}`,
});

/** Creates a snippet. Its answer is the URL. */
export const CREATE = declare('POST', 'create', '/api/paste/', readUrl);
/** Lists the languages that snippets can have. */
export const LIST_LANGUAGES = declare('GET', 'list_languages', '/api/languages/', readLanguages);
/** Detects the language of a file. */
export const DETECT_LANGUAGE = declare('POST', 'detect_language', '/api/detect-language/', readLanguage);

/** A language of snippets. */
export interface SnippetLanguage {
  readonly name: string;
  /** A human-readable name. Null if the service lists only names. */
  readonly label: string | null;
}

type Place = Required<ErrorPlace> & { readonly status: number };

const PEER = 'snippet service';

/** Responses of the service are short and fast, so the limits are low: milliseconds and bytes. */
const DEFAULT_TRANSPORT: TransportOptions = {
  ...{ connections: 8, timeout: 15_000, maxResponseBytes: 1_048_576 },
  retry: { retries: 0 },
};

/** A client of one snippet service. */
export type SnippetsClient = ReturnType<typeof createSnippetsClient>;

/** Creates a client. */
export function createSnippetsClient(
  { url, apiKey = null, transport }: SnippetsOptions,
  observer: Observer = {},
) {
  const { send, close } = createTransport(url.origin, { ...DEFAULT_TRANSPORT, ...transport }, observer, PEER);
  const base = url.pathname.replace(/\/$/, '');
  return {
    /**
     * Sends a command for the caller of an operation, as a write if it creates something. Rejects with the errors of `upstream/errors.ts`.
     * @param parameters By their names in the service.
     */
    async call<T>(
      command: Command<T>,
      { header, operation: { calls, caller } }: SchemaContext,
      parameters: Readonly<Record<string, string>>,
    ): Promise<T> {
      const { method, action, path, read } = command;
      const key = readKey(header) ?? apiKey;
      const fields = { ...parameters, format: 'json', ...(key === null ? {} : { api_key: key }) };
      const form = new URLSearchParams(fields).toString();
      const isWrite = action === CREATE.action;
      const isGet = method === 'GET';
      const type = isGet ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      const run = async (sending: Sending) => {
        const { status, body } = await send({
          kind: isWrite ? 'write' : 'read',
          method,
          path: isGet ? `${base}${path}?${form}` : base + path,
          headers: { ...caller.headers, accept: 'application/json', ...type },
          body: isGet ? null : form,
          scope: action,
          template: path,
          ...sending,
        });
        const place = { action, status };
        return { status, value: read(parseAnswer(body, place), place) };
      };
      const { value } = await (isWrite ? calls.runWrite(command, run) : calls.runRead(command, run));
      return value;
    },
    /** Closes all connections. Pending requests fail. */
    close,
  };
}

/** @throws AmbiguousCredentialsError when the key is sent twice: HTTP joins both with a comma, which no key contains. */
function readKey(header: HeaderReader): string | null {
  const key = readSecret(header, KEY_HEADER);
  if (key?.includes(','))
    throw new AmbiguousCredentialsError(`The request carries two ${KEY_HEADER} headers; send at most one.`);
  return key;
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
function readLanguages(answer: unknown, place: Place): SnippetLanguage[] {
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
