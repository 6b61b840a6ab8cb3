// Answers OPTIONS requests with descriptions.
import { formatScope } from '../auth/scope.ts';
import { HttpError, requireCaller, requirePermission } from '../http/http-error.ts';
import { descriptionResponse, jsonResponse, type Response } from '../http/response.ts';
import type { Action, Api, Apis, Caller } from './definition.ts';
import {
  type Described,
  describeAction,
  describeVersion,
  describeVersions,
  type Viewer,
} from './describe-api.ts';

/** What the description for anonymous callers holds: all actions, or those that they may call. */
export type AnonymousDescription = 'everything' | 'usable';

/** An OPTIONS request. */
interface DescriptionRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The actions at the path, by HTTP method. Undefined: there are none. */
  readonly actions: ReadonlyMap<string, Action> | undefined;
  /** Finds the caller. A description of the versions needs none. */
  authenticate(): Caller | null;
}

/** Describes all versions, one version or one action, depending on the path and the query. */
export class DescriptionHandler {
  readonly #apis: Apis;
  readonly #apiFor: (action: Action) => Api;
  readonly #anonymousDescription: AnonymousDescription;
  /** The bodies of descriptions, by subject and role. */
  readonly #bodies = new Map<string, string>();

  /** @param apiFor Returns the version to which an action belongs. */
  constructor(apis: Apis, apiFor: (action: Action) => Api, anonymousDescription: AnonymousDescription) {
    this.#apis = apis;
    this.#apiFor = apiFor;
    this.#anonymousDescription = anonymousDescription;
  }

  /** @throws HttpError when there is no action at the path, or the caller may not call it. */
  answer({ path, query, actions, authenticate }: DescriptionRequest): Response {
    const [defaultApi] = this.#apis;
    if (path === '/' && query['describe'] === 'versions') {
      const versions = this.#apis.map(({ version }) => version);
      return descriptionResponse({ versions, default: defaultApi.version });
    }
    if (path === '/' && query['describe'] !== 'default') {
      return this.#respondCached('all', authenticate(), (viewer) => describeVersions(this.#apis, viewer));
    }
    const api = path === '/' ? defaultApi : this.#apis.find(({ version }) => path === `/v${version}/`);
    if (api) {
      return this.#respondCached(api.version, authenticate(), (viewer) => describeVersion(api, viewer));
    }
    const method = query['method'];
    const action = typeof method === 'string' ? actions?.get(method) : actions?.values().next().value;
    if (!action) throw new HttpError(404, 'Action not found');
    const caller = authenticate();
    requireCaller(action, caller);
    requirePermission(action, caller);
    return descriptionResponse(describeAction(this.#apiFor(action), action, this.#viewerFor(caller)));
  }

  #viewerFor(caller: Caller | null): Viewer {
    return caller ?? (this.#anonymousDescription === 'everything' ? 'everything' : null);
  }

  /** Callers with the same rights get the same bytes. */
  #respondCached(subject: string, caller: Caller | null, describe: (viewer: Viewer) => Described): Response {
    const respond = () => descriptionResponse(describe(this.#viewerFor(caller)));
    // The number of possible scopes is unlimited, so descriptions for scopes are not cached.
    if (caller && formatScope(caller.scope) !== 'all') return respond();
    const key = `${subject} ${roleName(caller)}`;
    const body = this.#bodies.get(key) ?? respond().body;
    this.#bodies.set(key, body);
    return jsonResponse(200, body);
  }
}

function roleName(caller: Caller | null): string {
  if (!caller) return 'anonymous';
  return caller.admin ? 'admin' : 'user';
}
