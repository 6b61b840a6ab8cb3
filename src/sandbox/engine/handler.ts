// Handles a request: authenticates it, finds its action, calls it, and writes the envelope of the answer.
import type { IncomingHttpHeaders } from 'node:http';
import { type Authenticator, createChallenge, TokenConflict } from '../auth/authenticate.ts';
import { formatScope } from '../auth/scope.ts';
import { mayCall, mayShow, referredRow, usable } from '../domain/access.ts';
import { InvalidQuery, parseQuery } from '../http/query.ts';
import { createRouter } from '../http/router.ts';
import type { ActionStates } from './blocking.ts';
import type { Action, Api, Apis, Caller, Errors, Origin, Outcome } from './definition.ts';
import {
  type Described,
  describeAction,
  describeVersion,
  describeVersions,
  type Viewer,
} from './describe-api.ts';
import { writeOutput } from './output.ts';
import { InvalidInput, readInput, readMeta } from './read-input.ts';
import type { Store } from './store.ts';

/** A request with its body. */
export interface Request {
  readonly method: string;
  /** The path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The client's IP address. Default: 127.0.0.1. */
  readonly address?: string;
  /** Aborts when the client disconnects. Default: never. */
  readonly signal?: AbortSignal;
}

/** A response. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The scope of the action that was called. Null: none. */
  readonly scope: string | null;
}

/** Answers a request. Never rejects: an unexpected error becomes a failure with status 500. */
export type Handler = (request: Request) => Promise<Response>;

/** An error that ends a request early, with its HTTP status. */
class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const NEVER_ABORTED = new AbortController().signal;

type Query = Readonly<Record<string, unknown>>;

/** The associations that the server fails to resolve, by the scope of the action. */
export type FailingIncludes = Readonly<Record<string, readonly string[]>>;

/** How a handler answers in cases where real servers differ. */
export interface HandlerOptions {
  /** What the description for anonymous callers holds. Default: everything, as on production servers. */
  readonly anonymousDescription?: 'everything' | 'usable';
  /** The includes that fail with status 500. Default: none. */
  readonly failingIncludes?: FailingIncludes;
}

/** Creates a handler that serves all versions from one store. */
export function createHandler(
  apis: Apis,
  store: Store,
  authenticator: Authenticator,
  states: ActionStates,
  { anonymousDescription = 'everything', failingIncludes = {} }: HandlerOptions = {},
): Handler {
  const [latest] = apis;
  // The paths of the token actions have no version, so the default version answers them.
  const actions = apis.flatMap((api) => (api === latest ? api.actions : api.actions.filter(hasVersion)));
  const route = createRouter(actions);
  const apiByAction = new Map(apis.flatMap((api) => api.actions.map((action) => [action, api] as const)));
  const descriptions = new Map<string, string>();

  async function answer(request: Request, onAction: (scope: string) => void): Promise<Response> {
    const [path, query] = splitTarget(request.target);
    const segments = path.split('/').slice(1).map(decodeSegment);
    if (!acceptsJson(request.headers.accept)) return textResponse(406, 'Not Acceptable\n');
    if (request.method === 'OPTIONS') return describe(request, path, segments, query);
    const { actions, pathParams } = route(segments) ?? {};
    const action = actions?.get(request.method);
    if (!action || !pathParams) throw new HttpError(404, 'Action not found');
    onAction(action.scope);
    const { caller, token } = authenticator.authenticate(request.headers, query);
    requireCaller(action, caller);
    const body = readBody(request);
    if (!mayCall(caller, action)) throw new HttpError(403, 'Access denied. Insufficient permissions.');
    const raw = action.method === 'GET' ? query : body;
    const api = apiByAction.get(action) ?? latest;
    const access = { caller, store };
    const origin = readOrigin(request);
    const layout = { ...action.input, parameters: usable(caller, action.input.parameters) };
    let outcome: Outcome;
    try {
      const input = readInput(layout, raw, (association, id) => {
        const referred = referredRow({ api, store }, association, id);
        return referred !== undefined && mayShow(access, referred.resource, referred.row);
      });
      const meta = readMeta(action.metaInput, raw);
      const unresolvable = failingIncludes[action.scope] ?? [];
      if (meta.includes.some((path) => unresolvable.includes(path.split('__')[0] ?? '')))
        throw new HttpError(500, 'A server error occurred');
      const call = { api, store, states, caller, token, action, pathParams, input, meta, request: origin };
      outcome = await action.definition.execute(call);
      if (outcome.ok) return successResponse(200, writeOutput(call, outcome));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      outcome = { ok: false, message: error.message, errors: error.errors };
      return failureResponse(action.definition.invalidStatus ?? 200, outcome.message, outcome.errors ?? null);
    }
    return failureResponse(outcome.http ?? 200, outcome.message, outcome.errors ?? null);
  }

  function describe(request: Request, path: string, segments: readonly string[], query: Query): Response {
    const authenticate = () => authenticator.authenticate(request.headers, query).caller;
    if (path === '/') {
      if (query['describe'] === 'versions')
        return descriptionResponse({ versions: apis.map(({ version }) => version), default: latest.version });
      return query['describe'] === 'default'
        ? respondVersion(latest, authenticate())
        : respondAllVersions(authenticate());
    }
    const api = apis.find(({ version }) => path === `/v${version}/`);
    if (api) return respondVersion(api, authenticate());
    const actions = route(segments)?.actions;
    const method = query['method'];
    const action = typeof method === 'string' ? actions?.get(method) : actions?.values().next().value;
    if (!action) throw new HttpError(404, 'Action not found');
    const caller = authenticate();
    requireCaller(action, caller);
    if (!mayCall(caller, action)) throw new HttpError(403, 'Access denied. Insufficient permissions.');
    return descriptionResponse(describeAction(apiByAction.get(action) ?? latest, action, toViewer(caller)));
  }

  const toViewer = (caller: Caller | null): Viewer =>
    caller ?? (anonymousDescription === 'everything' ? 'everything' : null);
  const respondVersion = (api: Api, caller: Caller | null) =>
    respondCached(api.version, caller, () => describeVersion(api, toViewer(caller)));
  const respondAllVersions = (caller: Caller | null) =>
    respondCached('all', caller, () => describeVersions(apis, toViewer(caller)));

  /** Callers with the same rights get the same bytes. */
  function respondCached(subject: string, caller: Caller | null, create: () => Described): Response {
    // The number of possible scopes is unlimited, so descriptions for scopes are not cached.
    if (caller && formatScope(caller.scope) !== 'all') return descriptionResponse(create());
    const key = `${subject} ${roleName(caller)}`;
    const body = descriptions.get(key) ?? descriptionResponse(create()).body;
    descriptions.set(key, body);
    return jsonResponse(200, body);
  }

  return async (request) => {
    let scope: string | null = null;
    const onAction = (name: string): void => {
      scope = name;
    };
    const response = await answer(request, onAction).catch(toErrorResponse);
    const authenticate = createChallenge(response.status, request.headers.authorization);
    const headers =
      authenticate === undefined
        ? response.headers
        : { ...response.headers, 'www-authenticate': authenticate };
    return { ...response, headers, scope };
  };
}

function roleName(caller: Caller | null): string {
  if (!caller) return 'anonymous';
  return caller.admin ? 'admin' : 'user';
}

const hasVersion = ({ path }: Action): boolean => path.startsWith('/v');

function requireCaller(action: Action, caller: Caller | null): void {
  if (action.auth && !caller) throw new HttpError(401, 'This action requires authentication');
}

function splitTarget(target: string): readonly [path: string, query: Query] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, {}] : [target.slice(0, mark), parseQuery(target.slice(mark + 1))];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'invalid path parameter encoding');
  }
}

function readOrigin({ headers, address = '127.0.0.1', signal = NEVER_ABORTED }: Request): Origin {
  return { address, origin: `http://${headers.host ?? 'localhost'}`, signal };
}

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept
    .split(',')
    .some((range) => /^\s*(\*\/\*|application\/\*|application\/json)\s*(;|$)/i.test(range));
}

function readBody({ method, headers, body }: Request): unknown {
  if (body === '') return {};
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (method !== 'GET' && mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw new HttpError(415, 'Unsupported Content-Type header');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new HttpError(400, 'Invalid JSON syntax');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new HttpError(400, 'The JSON request body must be an object');
  }
  return parsed;
}

function toErrorResponse(error: unknown): Response {
  if (error instanceof HttpError) return failureResponse(error.status, error.message, null);
  if (error instanceof TokenConflict || error instanceof InvalidQuery)
    return failureResponse(400, error.message, null);
  return failureResponse(500, 'A server error occurred', null);
}

function successResponse(status: number, response: unknown): Response {
  return jsonResponse(status, JSON.stringify({ status: true, response, message: null, errors: null }));
}

/** Only the answers to OPTIONS have the version of the protocol in their envelope. */
function descriptionResponse(response: unknown): Response {
  return jsonResponse(
    200,
    JSON.stringify({ version: '2.0', status: true, response, message: null, errors: null }),
  );
}

/** Creates a response with the envelope of a failure. */
export function failureResponse(status: number, message: string | null, errors: Errors | null): Response {
  return jsonResponse(status, JSON.stringify({ status: false, response: null, message, errors }));
}

function jsonResponse(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'application/json;charset=utf-8' }, body, scope: null };
}

function textResponse(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'text/plain;charset=utf-8' }, body, scope: null };
}
