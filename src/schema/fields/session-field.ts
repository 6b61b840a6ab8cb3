import type { Assembly } from '../assembly.ts';
import type { CallerSession } from '../builder.ts';

/** Adds `Query.session`. */
export function addSession({ builder }: Assembly): void {
  const method = builder.enumType('SessionMethod', {
    description: 'How a caller authenticates.',
    values: {
      BASIC: { value: 'basic', description: 'User and password, by HTTP basic.' },
      BEARER: { value: 'bearer', description: 'An access token in the `Authorization` header.' },
      TOKEN: { value: 'token', description: 'A session token in the header that the API names.' },
      OAUTH2: { value: 'oauth2', description: 'An access token in the header that the API names.' },
    },
  });
  const session = builder.objectRef<CallerSession>('CallerSession').implement({
    description: 'Who asks, as far as the facade knows.',
    fields: (t) => ({
      authenticated: t.boolean({
        nullable: false,
        description: 'Whether a credential came that the API knows.',
        resolve: ({ credential }) => credential !== null,
      }),
      method: t.field({
        type: method,
        description: 'Null for an anonymous caller.',
        resolve: ({ credential }) => credential?.kind ?? null,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description:
          'When the credential ends; null when it does not, when it was not issued through this facade, or when it has outlived the ' +
          'end that the API stated. Uses through this facade move the end of a token that renews itself.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
    }),
  });
  builder.queryField('session', (t) =>
    t.field({
      type: session,
      nullable: false,
      description: 'The caller’s own session. Costs no upstream call.',
      resolve: (_root, _args, context) => context.session,
    }),
  );
}
