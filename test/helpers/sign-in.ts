// Signs in to a sandbox by tokens, passwords and one-time codes.
import { TOTP } from 'otpauth';
import type { Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { type Json, post, send } from './sandbox-requests.ts';

/** A clock that tests move. */
export interface StoppedClock {
  /** The current time in seconds since 1970. */
  seconds: number;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
}

/** Creates a clock at a whole minute, where the interval of a one-time code begins. */
export function createStoppedClock(): StoppedClock {
  const clock = { seconds: 1_800_000_000, now: () => clock.seconds * 1000 };
  return clock;
}

/** Creates the one-time code of the two-step user. `timestamp` is in milliseconds since 1970. */
export function createOneTimeCode({ twoStepUser }: Sandbox, timestamp: number): string {
  return new TOTP({ secret: twoStepUser.totpSecret }).generate({ timestamp });
}

/** Calls an action of the token resource without a credential. Returns its output, HTTP status, message and errors. */
export async function callTokenAction(
  sandbox: Sandbox,
  route: string,
  input: Record<string, unknown>,
): Promise<Json> {
  const { status, envelope } = await post(sandbox, `/_auth/token/tokens${route}`, null, { token: input });
  const { message, errors, response } = envelope;
  return { status, message, errors, ...response?.['token'] } as unknown as Json;
}

/** Opens a session for the ordinary user, and returns its token. */
export async function signIn(sandbox: Sandbox, wanted: Record<string, unknown>): Promise<string> {
  const credentials = { user: 'user', password: 'sandbox', lifetime: 'fixed' };
  const { token } = await callTokenAction(sandbox, '', { ...credentials, ...wanted });
  return String(token);
}

/** Finds the login of the user whose credential a request has. Returns the HTTP status when the request is refused. */
export async function findLogin(
  sandbox: Sandbox,
  headers: Record<string, string>,
  query = '',
): Promise<string | number> {
  const { status, envelope } = await send(sandbox, `/v7.0/users/current${query}`, null, { headers });
  return status === 200 ? String(envelope['response']?.['user']?.['login']) : status;
}

/** Creates the header of HTTP basic. */
export function basicHeader(login: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` };
}
