import { existsSync, readFileSync } from 'node:fs';
import type { Sandbox, SandboxUser } from '../../src/sandbox/listen-sandbox.ts';

/** Anything that JSON can hold, read without ceremony in assertions. */
export interface Json {
  readonly [key: string]: Json;
}

/** An answer of the sandbox. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; null where the body is not JSON. */
  readonly envelope: Json;
}

/** Sends a request as a user (null: anonymous). */
export async function send(
  sandbox: Sandbox,
  target: string,
  user: SandboxUser | null = admin(sandbox),
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  const headers = { ...(user ? { [sandbox.tokenHeader]: user.token } : {}), ...init.headers };
  const response = await fetch(sandbox.url + target, { ...init, headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    envelope: isJson ? JSON.parse(text) : null,
  };
}

/** POSTs JSON. */
export function post(
  sandbox: Sandbox,
  target: string,
  user: SandboxUser | null,
  body: unknown,
): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  return send(sandbox, target, user, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** What is at a path: an object or a list, without its namespace; undefined for nothing. */
export async function held(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<Json | undefined> {
  const { envelope } = await send(sandbox, target, user);
  return Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
}

/** The items of a list. */
export async function rows(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<readonly Json[]> {
  return ((await held(sandbox, target, user)) ?? []) as unknown as readonly Json[];
}

/** The ids of a list's items. */
export async function ids(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<readonly number[]> {
  return (await rows(sandbox, target, user)).map(({ id }) => Number(id));
}

export function admin({ users: [first] }: Sandbox): SandboxUser {
  if (!first) throw new Error('expected an administrator among the users');
  return first;
}

export function ordinary({ users: [, second] }: Sandbox): SandboxUser {
  if (!second) throw new Error('expected an ordinary user among the users');
  return second;
}

const shared = new URL('../../../shared/data/', import.meta.url);

/** A file of the shared material, parsed; undefined, said loudly, where there is none. */
export function sharedJson(name: string): Json | undefined {
  const file = new URL(name, shared);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  console.warn(`SKIPPED: ${file.pathname} is not there, so nothing is compared with the reference server`);
  return undefined;
}
