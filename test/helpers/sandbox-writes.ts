import type { Sandbox, SandboxUser } from '../../src/sandbox/listen-sandbox.ts';
import { admin, type Json, type Reply, send } from './sandbox-requests.ts';

type User = SandboxUser | null;

/** Sends a write with a JSON body; one without input sends none. */
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

/** The id of the action state that an answer names; null for a call that was not blocking. */
export function stateId({ envelope }: Reply): number | null {
  const id = envelope['response']?.['_meta']?.['action_state_id'];
  if (id === undefined) throw new Error(`expected an action_state_id in ${JSON.stringify(envelope)}`);
  return id as unknown as number | null;
}

/** An object by its path, whatever its namespace; undefined when it is not found. */
export async function read(sandbox: Sandbox, target: string, user?: User): Promise<Json | undefined> {
  const { envelope } = await send(sandbox, target, user);
  return Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
}

/** An action state in short: finished, status, current of total. */
export async function progress(sandbox: Sandbox, id: number | null, user?: User): Promise<string> {
  const state = await read(sandbox, `/v7.0/action_states/${id}`, user);
  if (!state) return 'not found';
  const word = state['finished'] ? (state['status'] ? 'done' : 'failed') : state['status'] ? 'goes' : 'back';
  return `${word} ${state['current']}/${state['total']}`;
}

/** What an action shows from now on, one step after the other, to its end. */
export async function unfold(sandbox: Sandbox, id: number | null, user?: User): Promise<readonly string[]> {
  const seen: string[] = [];
  do {
    seen.push(await progress(sandbox, id, user));
    sandbox.advance();
  } while (!/^(done|failed|not)/.test(seen.at(-1) ?? ''));
  return seen;
}

/** HTTP status and message of an answer. */
export function refusal({ status, envelope }: Reply): readonly unknown[] {
  return [status, envelope['status'], envelope['message']];
}

/** A dataset by its full name, as the administrator sees it. */
export async function byName(sandbox: Sandbox, name: string): Promise<Json> {
  const { envelope } = await send(sandbox, '/v7.0/datasets');
  const all = envelope['response']?.['datasets'] as unknown as readonly Json[];
  const found = all.find((dataset) => String(dataset['name']) === name);
  if (!found) throw new Error(`expected a dataset ${name}`);
  return found;
}
