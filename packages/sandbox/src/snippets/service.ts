// Answers the requests to the snippet service.
import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '../http/http.ts';
import { detectLanguage } from './detect-language.ts';
import { LANGUAGES } from './language-list.ts';
import { readSnippet } from './read-snippet.ts';
import { type Parameters, readParameters, UnreadableRequest } from './snippet-parameters.ts';
import { ACCESSIBILITIES, type Snippet, type SnippetStore } from './snippet-store.ts';

/** A request with its body. */
export interface SnippetRequest {
  readonly method: string;
  /** The path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response, with the parameters of its request. */
export interface SnippetResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly parameters: Parameters;
}

/** The data and settings of a service. */
export interface SnippetService {
  readonly store: SnippetStore;
  /** The logins of the users, by API key. */
  readonly loginsByApiKey: ReadonlyMap<string, string>;
  readonly allowAnonymous: boolean;
  readonly now: () => number;
}

/** The result of a command, in both formats. */
interface Outcome {
  readonly status: number;
  readonly json: unknown;
  readonly plain: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Call {
  readonly service: SnippetService;
  readonly parameters: Parameters;
  /** The login of the caller. Null: the request has no API key. */
  readonly caller: string | null;
  /** For example http://127.0.0.1:40123. */
  readonly origin: string;
}

/** The commands, by path and method. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, (call: Call) => Outcome>>>> = {
  '/api/paste/': { POST: create },
  '/api/languages/': { GET: listLanguages },
  '/api/detect-language/': { POST: detect },
};

/** Answers a request, also one that cannot be read. */
export async function answer(service: SnippetService, request: SnippetRequest): Promise<SnippetResponse> {
  const { method, target, headers, body } = request;
  const [path, query] = splitTarget(target);
  const origin = `http://${headers.host ?? 'localhost'}`;
  let parameters: Parameters = new Map();
  let outcome: Outcome;
  try {
    parameters = await readParameters(query, body, headers['content-type']);
    outcome = runCommand(service, { method, path, parameters, origin });
  } catch (error) {
    if (!(error instanceof UnreadableRequest)) throw error;
    outcome = createFailure(error.status, error.message);
  }
  const isJson = parameters.get('format') === 'json';
  return {
    status: outcome.status,
    headers: {
      'content-type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
      // Browsers must not render the content of a snippet as HTML.
      'x-content-type-options': 'nosniff',
      ...outcome.headers,
    },
    body: isJson ? JSON.stringify(outcome.json) : outcome.plain,
    parameters,
  };
}

interface Command {
  readonly method: string;
  readonly path: string;
  readonly parameters: Parameters;
  readonly origin: string;
}

function runCommand(service: SnippetService, { method, path, parameters, origin }: Command): Outcome {
  const format = parameters.get('format') ?? 'plain';
  if (format !== 'json' && format !== 'plain') return createFailure(400, 'format must be json or plain');
  const [, code] = /^\/([A-Za-z0-9]+)\/?$/.exec(path) ?? [];
  const methods = code === undefined ? COMMANDS[path] : { GET: (call: Call) => readByCode(call, code) };
  const command = methods?.[method];
  if (methods === undefined) return createFailure(404, 'Not found.');
  if (command === undefined) {
    const allow = Object.keys(methods).join(', ');
    return { ...createFailure(405, `Use ${allow} here.`), headers: { allow } };
  }
  const key = parameters.get('api_key');
  const caller = key === undefined ? null : service.loginsByApiKey.get(key);
  if (caller === undefined) return createFailure(403, 'API key is not valid');
  const isOpen = service.allowAnonymous || code !== undefined;
  if (caller === null && !isOpen) return createFailure(403, 'API key is required');
  return command({ service, parameters, caller, origin });
}

function create({ service, parameters, caller, origin }: Call): Outcome {
  const result = readSnippet(parameters, caller, service.now());
  if ('errors' in result) {
    // The public implementation of the service answers with 200: only the body shows the failure.
    return {
      status: 200,
      json: { error: result.errors },
      plain: `ERROR:${Object.keys(result.errors).join(',')}`,
    };
  }
  const url = `${origin}/${service.store.add(result.snippet).code}/`;
  return { status: 200, json: { url }, plain: url };
}

function listLanguages(): Outcome {
  return {
    status: 200,
    json: Object.fromEntries(LANGUAGES.map(({ name, label }) => [name, label])),
    plain: LANGUAGES.map(({ name, label }) => `${name}=${label}\n`).join(''),
  };
}

function detect({ parameters }: Call): Outcome {
  const fileName = parameters.get('file_name') ?? '';
  const text = parameters.get('text') ?? '';
  if (fileName === '' && text === '') {
    const message = 'specify file_name, text, or both';
    return {
      status: 400,
      json: { error: { file_name: [message], text: [message] } },
      plain: 'ERROR:file_name,text',
    };
  }
  const language = detectLanguage(fileName, text);
  return { status: 200, json: { language }, plain: language };
}

/** Reads a snippet at its URL: its content, or with `format=json` all its fields. */
function readByCode({ service, caller }: Call, code: string): Outcome {
  const snippet = service.store.find(code);
  if (snippet === undefined) return createFailure(404, 'The snippet does not exist or has expired.');
  if (!mayRead(snippet, caller)) return createFailure(403, 'You may not read this snippet.');
  const { title, fileName, language, content, accessibility, expiration } = snippet;
  return {
    status: 200,
    json: { title, file_name: fileName, language, content, accessibility, expiration: expiration / 1000 },
    plain: content,
    headers: { 'cache-control': 'no-store' },
  };
}

function mayRead({ accessibility, owner }: Snippet, caller: string | null): boolean {
  if (accessibility === ACCESSIBILITIES.loggedUsers) return caller !== null;
  if (accessibility === ACCESSIBILITIES.private) return caller !== null && caller === owner;
  return true;
}

const createFailure = (status: number, message: string): Outcome => ({
  status,
  json: { error: message },
  plain: `ERROR:${message}`,
});
