import type { IncomingHttpHeaders } from 'node:http';
import { type Authenticator, challenge, TokenConflict } from '../auth/authenticate.ts';
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

/** A request, its body read. */
export interface Request {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The client's IP address. Default: 127.0.0.1. */
  readonly address?: string;
  /** Aborts when the client goes away. Default: it stays. */
  readonly signal?: AbortSignal;
}

/** A response, with the scope of the action that made it. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly scope: string | null;
}

/** Answers requests; never rejects, a fault of its own is an envelope with status 500. */
export type Handler = (request: Request) => Promise<Response>;

/** A refusal that ends a request early. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const forever = new AbortController().signal;

type Query = Readonly<Record<string, unknown>>;

/** By scope of an action, the associations that its server cannot resolve. */
export type FailingIncludes = Readonly<Record<string, readonly string[]>>;

/** How a handler answers where servers differ. */
export interface Manners {
  /** What an anonymous caller's description holds. Default: everything, as on production servers. */
  readonly anonymousDescription?: 'everything' | 'usable';
  /** Includes that are answered by 500. Default: none. */
  readonly failingIncludes?: FailingIncludes;
}

/** A handler of all versions over one store, who may call it, and its action states. */
export function createHandler(
  apis: Apis,
  store: Store,
  authenticator: Authenticator,
  states: ActionStates,
  { anonymousDescription = 'everything', failingIncludes = {} }: Manners = {},
): Handler {
  const [latest] = apis;
  // Signing in has no version: the default one's actions answer it.
  const actions = apis.flatMap((api) => (api === latest ? api.actions : api.actions.filter(isVersioned)));
  const route = createRouter(actions);
  const apiOf = new Map(apis.flatMap((api) => api.actions.map((action) => [action, api] as const)));
  const descriptions = new Map<string, string>();

  async function answer(request: Request, found: (scope: string) => void): Promise<Response> {
    const [path, query] = splitTarget(request.target);
    const segments = path.split('/').slice(1).map(decodeSegment);
    if (!acceptsJson(request.headers.accept)) return plain(406, 'Not Acceptable\n');
    if (request.method === 'OPTIONS') return describe(request, path, segments, query);
    const { actions, pathParams } = route(segments) ?? {};
    const action = actions?.get(request.method);
    if (!action || !pathParams) throw new Refusal(404, 'Action not found');
    found(action.scope);
    const { caller, token } = authenticator.authenticate(request.headers, query);
    requireCaller(action, caller);
    const body = readBody(request);
    if (!mayCall(caller, action)) throw new Refusal(403, 'Access denied. Insufficient permissions.');
    const raw = action.method === 'GET' ? query : body;
    const api = apiOf.get(action) ?? latest;
    const access = { caller, store };
    const origin = originOf(request);
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
        throw new Refusal(500, 'A server error occurred');
      const call = { api, store, states, caller, token, action, pathParams, input, meta, request: origin };
      outcome = await action.definition.execute(call);
      if (outcome.ok) return envelope(200, writeOutput(call, outcome));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      outcome = { ok: false, message: error.message, errors: error.errors };
      return failed(action.definition.invalidStatus ?? 200, outcome.message, outcome.errors ?? null);
    }
    return failed(outcome.http ?? 200, outcome.message, outcome.errors ?? null);
  }

  function describe(request: Request, path: string, segments: readonly string[], query: Query): Response {
    const authenticate = () => authenticator.authenticate(request.headers, query).caller;
    if (path === '/') {
      if (query['describe'] === 'versions')
        return described({ versions: apis.map(({ version }) => version), default: latest.version });
      return query['describe'] === 'default'
        ? wholeVersion(latest, authenticate())
        : allVersions(authenticate());
    }
    const whole = apis.find(({ version }) => path === `/v${version}/`);
    if (whole) return wholeVersion(whole, authenticate());
    const actions = route(segments)?.actions;
    const method = query['method'];
    const action = typeof method === 'string' ? actions?.get(method) : actions?.values().next().value;
    if (!action) throw new Refusal(404, 'Action not found');
    const caller = authenticate();
    requireCaller(action, caller);
    if (!mayCall(caller, action)) throw new Refusal(403, 'Access denied. Insufficient permissions.');
    return described(describeAction(apiOf.get(action) ?? latest, action, viewerOf(caller)));
  }

  const viewerOf = (caller: Caller | null): Viewer =>
    caller ?? (anonymousDescription === 'everything' ? 'everything' : null);
  const wholeVersion = (api: Api, caller: Caller | null) =>
    remembered(api.version, caller, () => describeVersion(api, viewerOf(caller)));
  const allVersions = (caller: Caller | null) =>
    remembered('all', caller, () => describeVersions(apis, viewerOf(caller)));

  /** Callers of equal rights get the same bytes. */
  function remembered(what: string, caller: Caller | null, describeIt: () => Described): Response {
    // Scopes are as many as callers can think of.
    if (caller && formatScope(caller.scope) !== 'all') return described(describeIt());
    const key = `${what} ${role(caller)}`;
    const body = descriptions.get(key) ?? described(describeIt()).body;
    descriptions.set(key, body);
    return json(200, body);
  }

  return async (request) => {
    let scope: string | null = null;
    const found = (name: string): void => {
      scope = name;
    };
    const response = await answer(request, found).catch(refused);
    const wanted = challenge(response.status, request.headers.authorization);
    const headers =
      wanted === undefined ? response.headers : { ...response.headers, 'www-authenticate': wanted };
    return { ...response, headers, scope };
  };
}

function role(caller: Caller | null): string {
  if (!caller) return 'anonymous';
  return caller.admin ? 'admin' : 'user';
}

const isVersioned = ({ path }: Action): boolean => path.startsWith('/v');

function requireCaller(action: Action, caller: Caller | null): void {
  if (action.auth && !caller) throw new Refusal(401, 'This action requires authentication');
}

function splitTarget(target: string): readonly [path: string, query: Query] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, {}] : [target.slice(0, mark), parseQuery(target.slice(mark + 1))];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'invalid path parameter encoding');
  }
}

function originOf({ headers, address = '127.0.0.1', signal = forever }: Request): Origin {
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
    throw new Refusal(415, 'Unsupported Content-Type header');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'Invalid JSON syntax');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Refusal(400, 'The JSON request body must be an object');
  }
  return parsed;
}

function refused(error: unknown): Response {
  if (error instanceof Refusal) return failed(error.status, error.message, null);
  if (error instanceof TokenConflict || error instanceof InvalidQuery)
    return failed(400, error.message, null);
  return failed(500, 'A server error occurred', null);
}

function envelope(status: number, response: unknown): Response {
  return json(status, JSON.stringify({ status: true, response, message: null, errors: null }));
}

/** Only answers to OPTIONS carry the protocol's version. */
function described(response: unknown): Response {
  return json(200, JSON.stringify({ version: '2.0', status: true, response, message: null, errors: null }));
}

/** The envelope of a failure. */
export function failed(status: number, message: string | null, errors: Errors | null): Response {
  return json(status, JSON.stringify({ status: false, response: null, message, errors }));
}

function json(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'application/json;charset=utf-8' }, body, scope: null };
}

function plain(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'text/plain;charset=utf-8' }, body, scope: null };
}
