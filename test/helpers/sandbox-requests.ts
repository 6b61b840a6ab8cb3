// Sends reads and writes to a sandbox, reads its responses, and follows its actions.
import { existsSync, readFileSync } from 'node:fs';
import type { Sandbox, SandboxUser } from '../../packages/sandbox/src/listen-sandbox.ts';

/** A JSON value. Assertions read it without checks of its type. */
export interface Json {
  readonly [key: string]: Json;
}

/** A response of the sandbox. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope. Null: the body is not JSON. */
  readonly envelope: Json;
}

/** Sends a request as a user. Null: without a credential. Default: as the administrator. */
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

/** Sends a POST request with a JSON body. */
export function post(
  sandbox: Sandbox,
  target: string,
  user: SandboxUser | null,
  body: unknown,
): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  return send(sandbox, target, user, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Reads the object or list at a path, without its namespace. Undefined: the response has none. */
export async function readObject(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<Json | undefined> {
  const { envelope } = await send(sandbox, target, user);
  return Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
}

/** Reads the items of a list. */
export async function readList(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<readonly Json[]> {
  return ((await readObject(sandbox, target, user)) ?? []) as unknown as readonly Json[];
}

/** Reads the ids of the items of a list. */
export async function readIds(
  sandbox: Sandbox,
  target: string,
  user?: SandboxUser | null,
): Promise<readonly number[]> {
  return (await readList(sandbox, target, user)).map(({ id }) => Number(id));
}

/** The administrator of the sandbox. */
export function admin({ users: [first] }: Sandbox): SandboxUser {
  if (!first) throw new Error('expected an administrator among the users');
  return first;
}

/** The ordinary user of the sandbox. */
export function ordinaryUser({ users: [, second] }: Sandbox): SandboxUser {
  if (!second) throw new Error('expected an ordinary user among the users');
  return second;
}

const shared = new URL('../../../shared/data/', import.meta.url);

/** Parses a file of recorded data outside the repository. Undefined, with a warning, where it is absent. */
export function sharedJson(name: string): Json | undefined {
  const file = new URL(name, shared);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  console.warn(`SKIPPED: ${file.pathname} does not exist, so nothing is compared with the reference server`);
  return undefined;
}

type User = SandboxUser | null;

/** Sends a write. Without `body`, the request has no body. */
export function write(
  sandbox: Sandbox,
  method: 'POST' | 'PUT' | 'DELETE',
  target: string,
  user: User = admin(sandbox),
  body?: unknown,
): Promise<Reply> {
  if (body === undefined) return send(sandbox, target, user, { method });
  const headers = { 'content-type': 'application/json' };
  return send(sandbox, target, user, { method, headers, body: JSON.stringify(body) });
}

/** Returns the id of the action state of a response. Null: the call does not block. */
export function stateId({ envelope }: Reply): number | null {
  const id = envelope['response']?.['_meta']?.['action_state_id'];
  if (id === undefined) throw new Error(`expected an action_state_id in ${JSON.stringify(envelope)}`);
  return id as unknown as number | null;
}

/** Reads an action state as a word and its progress: `running 1/4`, `rolling back 1/4`, `failed 0/4` or `done 4/4`. */
export async function readProgress(sandbox: Sandbox, id: number | null, user?: User): Promise<string> {
  const state = await readObject(sandbox, `/v7.0/action_states/${id}`, user);
  if (!state) return 'not found';
  const word = state['finished']
    ? state['status']
      ? 'done'
      : 'failed'
    : state['status']
      ? 'running'
      : 'rolling back';
  return `${word} ${state['current']}/${state['total']}`;
}

/** Advances an action to its end, and returns its progress at each step. */
export async function readAllProgress(
  sandbox: Sandbox,
  id: number | null,
  user?: User,
): Promise<readonly string[]> {
  const seen: string[] = [];
  do {
    seen.push(await readProgress(sandbox, id, user));
    sandbox.advance();
  } while (!/^(done|failed|not)/.test(seen.at(-1) ?? ''));
  return seen;
}
