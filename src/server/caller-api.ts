// Defines what users of the library add to the context of resolvers, and lets their resolvers call the management API.
import type { Requester } from '../callers/requester.ts';
import { InvalidInputError } from '../loaders/errors.ts';
import { checkIds } from '../loaders/identity.ts';
import type { Operation } from '../loaders/operation.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { allActions } from '../upstream/description/select-actions.ts';
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { findUnsendable } from '../upstream/http/request-path.ts';
import type { JsonObject } from '../upstream/json.ts';
import { RefusedError } from './errors.ts';
import type { OperationContext } from './operation-request.ts';
import type { OperationPlugin } from './plugin.ts';

/** The context of resolvers that users of the library add, with what their option `context` adds. */
export interface ResolverContext extends Readonly<Record<string, unknown>> {
  /** Calls actions of the management API on behalf of the caller. */
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
}

/** Returns what a user of the library adds to the context of an operation. */
export type AddContext<Added extends object = object> = (requester: Requester) => Added | Promise<Added>;

/** Makes the plugin for the option `context` of the library. The names of the facade's own context win. */
export const useAddedContext = (addContext: AddContext): OperationPlugin => ({
  async onContextBuilding({ context, extendContext }) {
    const added = await addContext((context as OperationContext).session.requester);
    extendContext(Object.fromEntries(Object.entries(added).filter(([name]) => !(name in context))));
  },
});

/** What an action is called with. */
export interface ApiCall {
  /** Values of the placeholders of the action's path, in path order. Default: none. */
  readonly path?: readonly (string | number)[];
  /** Input parameters by their names in the API. Default: none. */
  readonly input?: JsonObject;
}

/** What an action answers: one object, rows, or null where it has no output. */
export type ApiOutput = JsonObject | readonly JsonObject[] | null;

/** Actions by scope. Each description needs its map once. */
const actionsByScope = new WeakMap<Description, ReadonlyMap<string, Action>>();

/**
 * The management API as one operation's caller may use it. Calls have the caller's credential, count for the operation's cost and
 * limits, and end with it. Inputs are checked only for values that cannot be sent.
 */
export class CallerApi {
  readonly #operation: Operation;
  readonly #description: Description;

  constructor(operation: Operation, description: Description) {
    this.#operation = operation;
    this.#description = description;
  }

  /**
   * Calls an action that changes nothing, e.g. `book#show`. Equal reads of an operation share one call.
   * @param scope Path of the resource and name of the action.
   * @throws RefusedError when the API does not describe the action to the caller, UpstreamError when the call fails.
   */
  async read(scope: string, call: ApiCall = {}): Promise<ApiOutput> {
    return (await this.#operation.calls.read(this.#prepare(scope, call), { reason: 'READ', fields: [] }))
      .output;
  }

  /**
   * Calls an action that changes nothing, and returns its rows: an object is the only one, and an action without output has none. It
   * fails as `read` does.
   */
  async readList(scope: string, call: ApiCall = {}): Promise<readonly JsonObject[]> {
    return [(await this.read(scope, call)) ?? []].flat();
  }

  /**
   * Calls an action that writes. It is sent once.
   * @throws OutcomeUnknownError when no response shows whether the write was carried out, and as `read` does.
   */
  async write(scope: string, call: ApiCall = {}): Promise<ApiOutput> {
    return (await this.#operation.calls.write(this.#prepare(scope, call), null)).output;
  }

  #prepare(scope: string, { path = [], input = {} }: ApiCall): ActionCall {
    const action = findActions(this.#description).get(scope);
    if (action === undefined)
      throw new RefusedError('NOT_OFFERED', `The management API offers you no action ${scope}.`);
    const { placeholders } = action.path;
    if (path.length !== placeholders.length)
      throw new TypeError(
        `${scope}: expected ${placeholders.length} values for its path, got ${path.length}`,
      );
    for (const [name, value] of Object.entries(input)) {
      const found = findUnsendable(value, action.method === 'GET');
      if (found !== null)
        throw new InvalidInputError(`${scope}: the input "${name}" has ${found}.`, { action: scope });
    }
    return { action, path: checkIds(path.map(String)), input, meta: {} };
  }
}

function findActions(description: Description): ReadonlyMap<string, Action> {
  const known = actionsByScope.get(description);
  if (known !== undefined) return known;
  const found = new Map(allActions(description.resources).map((action) => [action.scope, action]));
  actionsByScope.set(description, found);
  return found;
}
