// Adds `Query.session`, with the user who is signed in.
import { NotOfferedError } from '../../loaders/errors.ts';
import { NO_PATH_IDS } from '../../loaders/identity.ts';
import type { Action, Description } from '../../upstream/description/description.ts';
import { allActions } from '../../upstream/description/select-actions.ts';
import type { Assembly } from '../assemble.ts';
import type { CallerSession, Resolve } from '../builder.ts';
import { paragraphs } from '../descriptions/descriptions.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { readByCall } from '../resolve/single-read.ts';
import { fieldOptions } from '../types/outputs.ts';

/** The action that answers the current user, and the resource of users. */
export interface CallerAction {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/**
 * Finds the action that answers who the caller is. It is a read that needs a credential and nothing else, and answers one object of a
 * resource whose objects have ids: only the caller decides which. Associations refer to the resource, and an input of a sign-in
 * action has the name of the resource or of its label. Null if there is none, or more than one, because a wrong user is worse than no user.
 */
export function findCallerAction(description: Description, model: Model): CallerAction | null {
  const signIn = allActions(description.authentication.token?.resources ?? []);
  const signInInputs = new Set(signIn.flatMap(({ input }) => input.parameters.map(({ name }) => name)));
  const found = [...model.values()]
    .filter((resource) => isUser(resource, signInInputs))
    .flatMap((resource) => resource.reads.filter(isAboutCaller).map((action) => ({ resource, action })));
  const [first, ...others] = found;
  return first === undefined || others.length > 0 ? null : first;
}

function isAboutCaller({ auth, path, input, output }: Action): boolean {
  const needsNothing = path.placeholders.length === 0 && !input.parameters.some(({ required }) => required);
  return auth && needsNothing && output.layout === 'object';
}

function isUser(
  { path, identity, isReferenced, label }: ResourceModel,
  signInInputs: ReadonlySet<string>,
): boolean {
  const names = [path.at(-1), label.parameters[0]];
  const isNamed = names.some((name) => typeof name === 'string' && signInInputs.has(name));
  return isReferenced && identity.idPlaceholder !== null && isNamed;
}

/** Adds `Query.session`. @param callerAction Answers the current user; null where there is no such action. */
export function addSession(assembly: Assembly, callerAction: CallerAction | null): void {
  const { builder } = assembly;
  const method = builder.enumType('SessionMethod', {
    description: 'The possible authentication methods of a caller.',
    values: {
      BASIC: { value: 'basic', description: 'User name and password with HTTP Basic authentication.' },
      BEARER: { value: 'bearer', description: 'An access token in the `Authorization` header.' },
      TOKEN: { value: 'token', description: 'A session token in the header that the API description names.' },
      OAUTH2: {
        value: 'oauth2',
        description: 'An access token in the header that the API description names.',
      },
    },
  });
  const session = builder.objectRef<CallerSession>('CallerSession').implement({
    description: 'The session of the caller.',
    fields: (t) => ({
      authenticated: t.boolean({
        nullable: false,
        description: 'Whether the caller sent a credential that the API accepts.',
        resolve: ({ caller }) => caller.credential !== null,
      }),
      method: t.field({
        type: method,
        description: 'The authentication method. Null for an anonymous caller.',
        resolve: ({ caller }) => caller.credential?.kind ?? null,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description:
          'When the credential expires. Null if it does not expire, if each use extends it, if it was not issued through this ' +
          'server, or if the API still accepts it after the stated expiry time.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
    }),
  });
  const user = callerAction && userOptions(assembly, callerAction);
  if (user !== null) builder.objectField(session, 'user', (t) => t.field(user));
  builder.queryField('session', (t) =>
    t.field({
      type: session,
      nullable: false,
      description: `The session of the caller. Selecting it does not call the management API${user === null ? '' : ', except for the user'}.`,
      resolve: (_root, _args, context) => context.session,
    }),
  );
}

const USER = 'The user who is signed in. Null for an anonymous caller.';

/** Returns the options of the field for the current user; null if the action answers something else than a user. */
function userOptions(assembly: Assembly, { resource, action }: CallerAction) {
  if (!assembly.types.fits(resource, action)) return null;
  const read = readByCall(assembly, resource, action);
  const resolve: Resolve = (_session, _args, { operation, session }, info) =>
    session.caller.credential === null ? null : read(NO_PATH_IDS, {}, operation, info);
  const options = fieldOptions(assembly.types.outputTypeFor(resource, action), {}, action, resolve);
  const resolveWithoutAction = ({ caller }: CallerSession): null => {
    if (caller.credential === null) return null;
    throw new NotOfferedError(pathKey(resource.path));
  };
  return {
    ...options,
    extensions: { ...options.extensions, resolveWithoutAction },
    description: paragraphs([USER, options.description]),
  };
}
