// Handles a request: authenticates it, finds its action, calls it, and writes the envelope of the answer.
import type { IncomingHttpHeaders } from 'node:http';
import { type Authenticator, createChallenge, TokenConflict } from '../auth/authenticate.ts';
import { findReferredRow, mayShow, usableParameters } from '../domain/access.ts';
import { splitTarget } from '../http/http.ts';
import { HttpError, requireCaller, requirePermission } from '../http/http-error.ts';
import { InvalidQuery, parseQuery } from '../http/query.ts';
import { failureResponse, type Response, successResponse, textResponse } from '../http/response.ts';
import { createRouter } from '../http/router.ts';
import { chooseLanguage, translateResponse } from '../languages/translate-response.ts';
import type { ActionStates } from './blocking.ts';
import type { Action, Api, Apis, Call, Failure, RequestSource } from './definition.ts';
import { type AnonymousDescription, DescriptionHandler } from './description-handler.ts';
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

/** Answers a request. Never rejects: an unexpected error becomes a failure with status 500. */
export type Handler = (request: Request) => Promise<Response>;

const NEVER_ABORTED = new AbortController().signal;

/** The associations that the server fails to resolve, by the scope of the action. */
export type FailingIncludes = Readonly<Record<string, readonly string[]>>;

/** How a handler answers in cases where real servers differ. */
export interface HandlerOptions {
  /** What the description for anonymous callers holds. Default: everything, as on production servers. */
  readonly anonymousDescription?: AnonymousDescription;
  /** The includes that fail with status 500. Default: none. */
  readonly failingIncludes?: FailingIncludes;
  /** See `Habits`. Default: null, none. */
  readonly clampedLimit?: number | null;
}

/** Creates a handler that serves all versions from one store. */
export function createHandler(
  apis: Apis,
  store: Store,
  authenticator: Authenticator,
  states: ActionStates,
  options: HandlerOptions = {},
): Handler {
  const handler = new ApiHandler(apis, store, authenticator, states, options);
  return (request) => handler.handle(request);
}

class ApiHandler {
  readonly #defaultApi: Api;
  readonly #store: Store;
  readonly #authenticator: Authenticator;
  readonly #states: ActionStates;
  readonly #options: HandlerOptions;
  readonly #findRoute: ReturnType<typeof createRouter>;
  readonly #apiByAction: ReadonlyMap<Action, Api>;
  readonly #descriptions: DescriptionHandler;

  constructor(
    apis: Apis,
    store: Store,
    authenticator: Authenticator,
    states: ActionStates,
    options: HandlerOptions,
  ) {
    this.#defaultApi = apis[0];
    this.#store = store;
    this.#authenticator = authenticator;
    this.#states = states;
    this.#options = options;
    const [defaultApi, ...otherApis] = apis;
    // The paths of the token actions have no version, so the default version answers them.
    const otherActions = otherApis.flatMap(({ actions }) => actions.filter(hasVersion));
    this.#findRoute = createRouter([...defaultApi.actions, ...otherActions]);
    this.#apiByAction = new Map(apis.flatMap((api) => api.actions.map((action) => [action, api] as const)));
    const { anonymousDescription = 'everything' } = options;
    this.#descriptions = new DescriptionHandler(apis, (action) => this.#apiFor(action), anonymousDescription);
  }

  #apiFor(action: Action): Api {
    return this.#apiByAction.get(action) ?? this.#defaultApi;
  }

  async handle(request: Request): Promise<Response> {
    let scope: string | null = null;
    const onAction = (name: string): void => {
      scope = name;
    };
    const answer = await this.#answer(request, onAction).catch(toErrorResponse);
    const language = chooseLanguage(request.headers['accept-language']);
    const response = translateResponse(answer, language, request.method === 'OPTIONS');
    const challenge = createChallenge(response.status, request.headers.authorization);
    const headers =
      challenge === undefined ? response.headers : { ...response.headers, 'www-authenticate': challenge };
    return { ...response, headers, scope };
  }

  async #answer(request: Request, onAction: (scope: string) => void): Promise<Response> {
    const [path, rawQuery] = splitTarget(request.target);
    const query = parseQuery(rawQuery);
    const segments = path.split('/').slice(1).map(decodeSegment);
    if (!acceptsJson(request.headers.accept)) return textResponse(406, 'Not Acceptable\n');
    const { actions, pathParams } = this.#findRoute(segments) ?? {};
    if (request.method === 'OPTIONS') {
      const authenticate = () => this.#authenticator.authenticate(request.headers, query).caller;
      return this.#descriptions.answer({ path, query, actions, authenticate });
    }
    const action = actions?.get(request.method);
    if (!action || !pathParams) throw new HttpError(404, 'Action not found');
    onAction(action.scope);
    const { caller, token } = this.#authenticator.authenticate(request.headers, query);
    requireCaller(action, caller);
    const body = readBody(request);
    requirePermission(action, caller);
    const raw = action.method === 'GET' ? query : body;
    try {
      const outcome = await this.#call(
        { action, caller, token, pathParams, request: readOrigin(request) },
        raw,
      );
      if (outcome.ok) return successResponse(200, outcome.output);
      return failureResponse(outcome.httpStatus ?? 200, outcome.message, outcome.errors ?? null);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return failureResponse(action.definition.invalidInputStatus ?? 200, error.message, error.errors);
    }
  }

  /** Calls an action. @throws InvalidInput when its input or metadata is not valid. */
  async #call(
    target: Pick<Call, 'action' | 'caller' | 'token' | 'pathParams' | 'request'>,
    raw: unknown,
  ): Promise<Failure | { readonly ok: true; readonly output: unknown }> {
    const { action, caller } = target;
    const context = { api: this.#apiFor(action), store: this.#store, caller };
    const layout = { ...action.input, parameters: usableParameters(caller, action.input.parameters) };
    const input = readInput(layout, raw, (association, id) => {
      const referred = findReferredRow(context, association, id);
      return referred !== undefined && mayShow(context, referred.resource, referred.row);
    });
    const meta = readMeta(action.metaParameters, raw);
    const failing = this.#options.failingIncludes?.[action.scope] ?? [];
    if (meta.includes.some((path) => failing.includes(path.split('__')[0] ?? '')))
      throw new HttpError(500, 'A server error occurred');
    const { clampedLimit = null } = this.#options;
    const call: Call = { ...target, ...context, states: this.#states, input, meta, clampedLimit };
    const outcome = await action.definition.execute(call);
    return outcome.ok ? { ok: true, output: writeOutput(call, outcome) } : outcome;
  }
}

const hasVersion = ({ path }: Action): boolean => path.startsWith('/v');

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'invalid path parameter encoding');
  }
}

function readOrigin({ headers, address = '127.0.0.1', signal = NEVER_ABORTED }: Request): RequestSource {
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
