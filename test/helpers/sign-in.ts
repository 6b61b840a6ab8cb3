import { TOTP } from 'otpauth';
import type { Sandbox } from '../../src/sandbox/listen-sandbox.ts';
import { type Json, post, send } from './sandbox-requests.ts';

/** A clock that stands until it is moved; seconds since 1970. */
export interface StoppedClock {
  seconds: number;
  now(): number;
}

/** Stands at a whole minute, so at the beginning of a one-time code's time. */
export function stoppedClock(): StoppedClock {
  const clock = { seconds: 1_800_000_000, now: () => clock.seconds * 1000 };
  return clock;
}

/** The code of the user with a second step, at a time in milliseconds. */
export function codeOf({ twoStepUser }: Sandbox, timestamp: number): string {
  return new TOTP({ secret: twoStepUser.totpSecret }).generate({ timestamp });
}

/** Calls an action of the token resource, anonymously: the answer's hash, with its HTTP status, message and errors. */
export async function tokenAction(
  sandbox: Sandbox,
  route: string,
  input: Record<string, unknown>,
): Promise<Json> {
  const { status, envelope } = await post(sandbox, `/_auth/token/tokens${route}`, null, { token: input });
  const { message, errors, response } = envelope;
  return { status, message, errors, ...response?.['token'] } as unknown as Json;
}

/** The token of a new session. */
export async function signIn(sandbox: Sandbox, wanted: Record<string, unknown>): Promise<string> {
  const credentials = { user: 'user', password: 'sandbox', lifetime: 'fixed' };
  const { token } = await tokenAction(sandbox, '', { ...credentials, ...wanted });
  return String(token);
}

/** The login that a request authenticates as, or the status of its refusal. */
export async function whoIs(
  sandbox: Sandbox,
  headers: Record<string, string>,
  query = '',
): Promise<string | number> {
  const { status, envelope } = await send(sandbox, `/v7.0/users/current${query}`, null, { headers });
  return status === 200 ? String(envelope['response']?.['user']?.['login']) : status;
}

/** The header of HTTP basic. */
export function basic(login: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` };
}
