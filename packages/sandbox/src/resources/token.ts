// Defines the resource of token authentication: request, renew and revoke tokens.
import type { IssuedToken, Login } from '../auth/login.ts';
import { parseScope, type Scope } from '../auth/scope.ts';
import type { Lifetime, Sessions } from '../auth/sessions.ts';
import type {
  ActionDefinition,
  Failure,
  Parameters,
  ResourceDefinition,
  Success,
} from '../engine/definition.ts';
import { boolean, choice, datetime, integer, string } from '../engine/parameters.ts';
import { InvalidInput } from '../engine/read-input.ts';

const tokenOutput: Parameters = {
  token: string(),
  valid_to: datetime(),
  complete: boolean(),
  next_action: string(),
};

const LIFETIMES: readonly Lifetime[] = ['fixed', 'renewable_manual', 'renewable_auto', 'permanent'];

const LIFETIME_DESCRIPTION = [
  'fixed - fixed validity period, cannot be renewed',
  'renewable_manual - can be renewed, only by calling the renew action',
  'renewable_auto - renewed automatically to now plus interval on every use',
  'permanent - valid until deleted',
].join('\n');

const tokenRequired: Failure = {
  ok: false,
  message: 'This action requires token authentication',
  httpStatus: 401,
};

const invalidCredentials: Failure = { ok: false, message: 'Invalid authentication credentials' };

/** Creates the resource of token authentication for the logins and sessions of one sandbox. */
export function tokenResource(login: Login, sessions: Sessions): ResourceDefinition {
  return {
    description: 'Tokens to authenticate with',
    auth: false,
    output: tokenOutput,
    actions: {
      request: requestAction(login),
      revoke: revokeAction(sessions),
      renew: renewAction(sessions),
      totp: totpAction(login),
    },
  };
}

function requestAction(login: Login): ActionDefinition {
  return {
    description: 'Get a token for credentials',
    method: 'POST',
    input: {
      layout: 'hash',
      parameters: {
        user: string({ label: 'User', required: true }),
        password: string({ label: 'Password', required: true, protected: true }),
        scope: string({
          label: 'Scope',
          description:
            "Actions that the token may be used for, separated by spaces, such as 'dataset.snapshot#create', " +
            "'dataset#*', 'dataset.*#index' or '*#show'",
          default: 'all',
          fillsDefault: true,
        }),
        lifetime: choice(LIFETIMES, {
          label: 'Lifetime',
          required: true,
          description: LIFETIME_DESCRIPTION,
        }),
        interval: integer({
          label: 'Interval',
          description: 'Seconds for which the token is valid',
          default: 300,
          fillsDefault: true,
          validators: { number: { min: 1, max: 86_400 } },
        }),
      },
    },
    output: { layout: 'hash', parameters: tokenOutput },
    invalidInputStatus: 400,
    execute({ input }) {
      const lifetime = LIFETIMES.find((name) => name === input.get('lifetime')) ?? 'fixed';
      const issuedToken = login.request(String(input.get('user')), String(input.get('password')), {
        lifetime,
        interval: Number(input.get('interval')),
        scope: parseScopeInput(String(input.get('scope'))),
      });
      return issuedToken ? tokenAnswer(issuedToken) : invalidCredentials;
    },
  };
}

function renewAction(sessions: Sessions): ActionDefinition {
  return {
    description: 'Extend the token of this request',
    method: 'POST',
    route: '/renew',
    auth: true,
    output: { layout: 'hash', parameters: { valid_to: datetime() } },
    execute({ token }) {
      if (token === null) return tokenRequired;
      const session = sessions.renew(token);
      return session
        ? { ok: true, items: [{ valid_to: formatTime(session.validTo) }] }
        : { ok: false, message: 'Token renewal failed' };
    },
  };
}

function revokeAction(sessions: Sessions): ActionDefinition {
  return {
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
}

function totpAction(login: Login): ActionDefinition {
  return {
    description: 'Continue a login with the one-time code of an authenticator app',
    method: 'POST',
    route: '/totp',
    input: {
      layout: 'hash',
      parameters: {
        token: string({ label: 'Token', description: 'The token of the previous step', required: true }),
        code: string({ label: 'TOTP code', required: true }),
      },
    },
    output: { layout: 'hash', parameters: tokenOutput },
    invalidInputStatus: 400,
    execute({ input }) {
      const issuedToken = login.totp(String(input.get('token')), String(input.get('code')));
      return issuedToken ? tokenAnswer(issuedToken) : invalidCredentials;
    },
  };
}

function parseScopeInput(text: string): Scope {
  const scope = parseScope(text);
  if (!scope) throw new InvalidInput('input parameters are not valid', { scope: [`${text} cannot be used`] });
  return scope;
}

function tokenAnswer({ token, validTo, nextAction }: IssuedToken): Success {
  const complete = nextAction === null;
  return { ok: true, items: [{ token, valid_to: formatTime(validTo), complete, next_action: nextAction }] };
}

function formatTime(validTo: number | null): string | null {
  return validTo === null ? null : new Date(validTo).toISOString();
}
