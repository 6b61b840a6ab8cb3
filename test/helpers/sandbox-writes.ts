// Sends writes to a sandbox and follows their actions.
import type { Sandbox, SandboxUser } from '../../packages/sandbox/src/listen-sandbox.ts';
import { admin, type Json, type Reply, readObject, send } from './sandbox-requests.ts';

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

/** Returns the HTTP status, the status of the envelope and the message of a response. */
export function readFailure({ status, envelope }: Reply): readonly unknown[] {
  return [status, envelope['status'], envelope['message']];
}

/** Finds a dataset by its full name, as the administrator. */
export async function findDataset(sandbox: Sandbox, name: string): Promise<Json> {
  const { envelope } = await send(sandbox, '/v7.0/datasets');
  const all = envelope['response']?.['datasets'] as unknown as readonly Json[];
  const found = all.find((dataset) => String(dataset['name']) === name);
  if (!found) throw new Error(`expected a dataset ${name}`);
  return found;
}
