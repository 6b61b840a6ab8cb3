// Adds `Query.session`.

import type { Assembly } from '../assembly.ts';
import type { CallerSession } from '../builder.ts';

/** Adds `Query.session`. */
export function addSession({ builder }: Assembly): void {
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
          'When the credential expires. Null if it does not expire, if it was not issued through this server, or if the API still ' +
          'accepts it after the stated expiry time. Requests through this server extend a token that renews itself.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
    }),
  });
  builder.queryField('session', (t) =>
    t.field({
      type: session,
      nullable: false,
      description: 'The session of the caller. Selecting it does not call the management API.',
      resolve: (_root, _args, context) => context.session,
    }),
  );
}
