import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '../http/http.ts';
import { readSnippet } from './create.ts';
import { detectLanguage } from './detect.ts';
import { languages } from './language-list.ts';
import { type Parameters, readParameters, UnreadableRequest } from './snippet-parameters.ts';
import { accessibilities, type Snippet, type SnippetStore } from './snippet-store.ts';

/** A request, its body read. */
export interface SnippetRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response, with the parameters that the request was read to hold. */
export interface SnippetResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly parameters: Parameters;
}

/** What a service works on. */
export interface SnippetService {
  readonly store: SnippetStore;
  /** Logins by API key. */
  readonly keys: ReadonlyMap<string, string>;
  readonly allowAnonymous: boolean;
  readonly now: () => number;
}

/** What a command came to, in both formats. */
interface Outcome {
  readonly status: number;
  readonly json: unknown;
  readonly plain: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Call {
  readonly service: SnippetService;
  readonly parameters: Parameters;
  /** Login; null without a key. */
  readonly caller: string | null;
  /** For example http://127.0.0.1:40123. */
  readonly origin: string;
}

/** Commands by path and method. */
const commands: Readonly<Record<string, Readonly<Record<string, (call: Call) => Outcome>>>> = {
  '/api/paste/': { POST: create },
  '/api/languages/': { GET: listLanguages },
  '/api/detect-language/': { POST: detect },
};

/** Answers a request; a request that cannot be read is answered too. */
export async function answer(service: SnippetService, request: SnippetRequest): Promise<SnippetResponse> {
  const { method, target, headers, body } = request;
  const [path, query] = splitTarget(target);
  const origin = `http://${headers.host ?? 'localhost'}`;
  let parameters: Parameters = new Map();
  let outcome: Outcome;
  try {
    parameters = await readParameters(query, body, headers['content-type']);
    outcome = carryOut(service, { method, path, parameters, origin });
  } catch (error) {
    if (!(error instanceof UnreadableRequest)) throw error;
    outcome = refused(error.status, error.message);
  }
  const isJson = parameters.get('format') === 'json';
  return {
    status: outcome.status,
    headers: {
      'content-type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
      // What anybody wrote is never taken for a page.
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

function carryOut(service: SnippetService, { method, path, parameters, origin }: Command): Outcome {
  const format = parameters.get('format') ?? 'plain';
  if (format !== 'json' && format !== 'plain') return refused(400, 'format must be json or plain');
  const [, code] = /^\/([A-Za-z0-9]+)\/?$/.exec(path) ?? [];
  const methods = code === undefined ? commands[path] : { GET: (call: Call) => read(call, code) };
  const command = methods?.[method];
  if (methods === undefined) return refused(404, 'There is nothing here.');
  if (command === undefined) {
    const allow = Object.keys(methods).join(', ');
    return { ...refused(405, `Use ${allow} here.`), headers: { allow } };
  }
  const key = parameters.get('api_key');
  const caller = key === undefined ? null : service.keys.get(key);
  if (caller === undefined) return refused(403, 'API key is not valid');
  const isOpen = service.allowAnonymous || code !== undefined;
  if (caller === null && !isOpen) return refused(403, 'API key is required');
  return command({ service, parameters, caller, origin });
}

function create({ service, parameters, caller, origin }: Call): Outcome {
  const read = readSnippet(parameters, caller, service.now());
  if ('errors' in read) {
    // The service's public implementation answers 200 here: only the body tells.
    return {
      status: 200,
      json: { error: read.errors },
      plain: `ERROR:${Object.keys(read.errors).join(',')}`,
    };
  }
  const url = `${origin}/${service.store.add(read.snippet).code}/`;
  return { status: 200, json: { url }, plain: url };
}

function listLanguages(): Outcome {
  return {
    status: 200,
    json: Object.fromEntries(languages.map(({ name, label }) => [name, label])),
    plain: languages.map(({ name, label }) => `${name}=${label}\n`).join(''),
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

/** A snippet at its URL: its content, or with `format=json` all that is kept of it. */
function read({ service, caller }: Call, code: string): Outcome {
  const snippet = service.store.find(code);
  if (snippet === undefined) return refused(404, 'There is no such snippet, or it has expired.');
  if (!mayRead(snippet, caller)) return refused(403, 'This snippet is not for everybody.');
  const { title, fileName, language, content, accessibility, expiration } = snippet;
  return {
    status: 200,
    json: { title, file_name: fileName, language, content, accessibility, expiration: expiration / 1000 },
    plain: content,
    headers: { 'cache-control': 'no-store' },
  };
}

function mayRead({ accessibility, owner }: Snippet, caller: string | null): boolean {
  if (accessibility === accessibilities.loggedUsers) return caller !== null;
  if (accessibility === accessibilities.private) return caller !== null && caller === owner;
  return true;
}

const refused = (status: number, message: string): Outcome => ({
  status,
  json: { error: message },
  plain: `ERROR:${message}`,
});
