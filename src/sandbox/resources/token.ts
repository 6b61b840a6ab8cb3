import type { ActionDefinition, Failure, Fields, Parameters, ResourceDefinition } from '../definition.ts';
import { boolean, choice, datetime, integer, string } from '../parameters.ts';
import type { Lifetime, Session, Sessions } from '../sessions.ts';

const issued: Parameters = {
  token: string(),
  valid_to: datetime(),
  complete: boolean(),
  next_action: string(),
};

const lifetimes: readonly Lifetime[] = ['fixed', 'renewable_manual', 'renewable_auto', 'permanent'];

const tokenRequired: Failure = { ok: false, message: 'This action requires token authentication', http: 401 };

/** The resource of the token authentication, over one sandbox's sessions. */
export function tokenResource(sessions: Sessions): ResourceDefinition {
  const request: ActionDefinition = {
    description: 'Get a token for credentials',
    method: 'POST',
    input: {
      layout: 'hash',
      parameters: {
        user: string({ label: 'User', required: true }),
        password: string({ label: 'Password', required: true, protected: true }),
        scope: string({ label: 'Scope', default: 'all', fill: true }),
        lifetime: choice(lifetimes, {
          label: 'Lifetime',
          required: true,
          description: 'How long the token stays valid, and whether and how it can be renewed',
        }),
        interval: integer({
          label: 'Interval',
          description: 'Seconds for which the token is valid',
          default: 300,
          fill: true,
          validators: { number: { min: 1, max: 86_400 } },
        }),
      },
    },
    output: { layout: 'hash', parameters: issued },
    invalidStatus: 400,
    execute({ input }) {
      const lifetime = lifetimes.find((name) => name === input.get('lifetime')) ?? 'fixed';
      const session = sessions.open(
        String(input.get('user')),
        String(input.get('password')),
        lifetime,
        Number(input.get('interval')),
      );
      if (!session) return { ok: false, message: 'Invalid authentication credentials' };
      return {
        ok: true,
        items: [{ token: session.token, ...validity(session), complete: true, next_action: null }],
      };
    },
  };

  const renew: ActionDefinition = {
    description: 'Extend the token of this request',
    method: 'POST',
    route: '/renew',
    auth: true,
    output: { layout: 'hash', parameters: { valid_to: datetime() } },
    execute({ token }) {
      if (token === null) return tokenRequired;
      const session = sessions.renew(token);
      return session
        ? { ok: true, items: [validity(session)] }
        : { ok: false, message: 'Token renewal failed' };
    },
  };

  const revoke: ActionDefinition = {
    description: 'Delete the token of this request',
    method: 'POST',
    route: '/revoke',
    auth: true,
    output: { layout: 'object', parameters: {} },
    execute({ token }) {
      if (token === null) return tokenRequired;
      sessions.close(token);
      return { ok: true, items: [] };
    },
  };

  const totp: ActionDefinition = {
    description: 'Continue with a one-time code',
    method: 'POST',
    route: '/totp',
    input: {
      layout: 'hash',
      parameters: { token: string({ required: true }), code: string({ required: true }) },
    },
    output: { layout: 'hash', parameters: issued },
    invalidStatus: 400,
    execute: () => ({ ok: false, message: 'invalid' }),
  };

  return {
    description: 'Tokens to authenticate with',
    auth: false,
    output: issued,
    actions: { request, revoke, renew, totp },
  };
}

function validity({ validTo }: Session): Fields {
  return { valid_to: validTo === null ? null : new Date(validTo).toISOString() };
}
