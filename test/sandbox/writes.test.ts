import { describe, expect, test } from 'vitest';
import { listenSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/listen.ts';

interface Told {
  readonly status: number;
  readonly ok: boolean;
  readonly response: Record<string, Record<string, unknown>> | null;
  readonly message: string | null;
  readonly errors: Record<string, string[]> | null;
}

type Login = 'admin' | 'user';

async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  { as = 'user' as Login, signal = null as AbortSignal | null } = {},
): Promise<Told> {
  const token = sandbox.users.find(({ login }) => login === as)?.token ?? '';
  const answer = await fetch(`${sandbox.url}/v7.0${path}`, {
    method,
    headers: { [sandbox.tokenHeader]: token, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  });
  const {
    status: ok,
    response,
    message,
    errors,
  } = (await answer.json()) as Omit<Told, 'ok' | 'status'> & { status: boolean };
  return { status: answer.status, ok, response, message, errors };
}

const started = (told: Told): number => Number(told.response?.['_meta']?.['action_state_id']);
const manual = (options: SandboxOptions = {}) => listenSandbox({ step: 'manual', ...options });
const stateOf = async (sandbox: Sandbox, id: number) =>
  (await call(sandbox, 'GET', `/action_states/${id}`)).response?.['action_state'];

describe('a blocking action', () => {
  test('is queued, moves in steps and succeeds', async () => {
    await using sandbox = await manual();
    const told = await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: { label: 'before' } });
    const id = started(told);
    expect(told.response?.['snapshot']).toMatchObject({ label: 'before', dataset: { id: 12 } });
    const seen: unknown[] = [];
    for (let step = 0; step <= 4; step++) {
      const { finished, status, current, total } = (await stateOf(sandbox, id)) ?? {};
      seen.push([finished, status, current, total]);
      sandbox.advance();
    }
    expect(seen).toEqual([
      [false, true, 0, 4],
      [false, true, 1, 4],
      [false, true, 2, 4],
      [false, true, 3, 4],
      [true, true, 4, 4],
    ]);
  });

  test.each([
    ['below', [true, false, 1]],
    ['at-total', [true, false, 4]],
    ['rollback', [true, false, 1]],
  ] as const)('can fail %s its total, and is undone then', async (kind, end) => {
    await using sandbox = await manual();
    sandbox.failNext(kind);
    const told = await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} });
    const snapshot = told.response?.['snapshot']?.['id'];
    const rolledBack: unknown[] = [];
    for (let step = 0; step < 8; step++) {
      sandbox.advance();
      const state = await stateOf(sandbox, started(told));
      if (state?.['finished'] === false && state['status'] === false) rolledBack.push(state['current']);
    }
    const { finished, status, current } = (await stateOf(sandbox, started(told))) ?? {};
    expect([finished, status, current]).toEqual(end);
    expect(rolledBack.length > 0).toBe(kind === 'rollback');
    expect((await call(sandbox, 'GET', `/datasets/12/snapshots/${String(snapshot)}`)).status).toBe(404);
  });

  test('locks what it touches: other writes answer 423 and say why', async () => {
    await using sandbox = await manual();
    await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} });
    const refused = await call(sandbox, 'PUT', '/datasets/12', { dataset: { quota: 10 } });
    expect([refused.status, refused.message]).toEqual([423, expect.stringContaining('Create snapshot')]);
    expect((await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} })).status).toBe(423);
    expect((await call(sandbox, 'PUT', '/datasets/15', { dataset: { quota: 10 } })).ok).toBe(true);
    sandbox.advance(4);
    expect((await call(sandbox, 'PUT', '/datasets/12', { dataset: { quota: 10 } })).ok).toBe(true);
  });

  test('is cancelled where that is allowed: it rolls back and has failed', async () => {
    await using sandbox = await manual();
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    sandbox.advance(2);
    expect((await call(sandbox, 'POST', `/action_states/${id}/cancel`)).response).toMatchObject({
      _meta: { action_state_id: null },
    });
    expect(await stateOf(sandbox, id)).toMatchObject({ finished: false, status: false, can_cancel: false });
    sandbox.advance(4);
    expect(await stateOf(sandbox, id)).toMatchObject({ finished: true, status: false });
    const late = await call(sandbox, 'POST', `/action_states/${id}/cancel`);
    expect([late.status, late.ok, late.message]).toEqual([200, false, 'The action cannot be cancelled']);
    const firm = started(await call(sandbox, 'PUT', '/datasets/15', { dataset: { quota: 1 } }));
    expect((await call(sandbox, 'POST', `/action_states/${firm}/cancel`)).ok).toBe(false);
  });

  test('is nobody else’s, and is forgotten some time after its end', async () => {
    await using sandbox = await listenSandbox({ step: 0, stateExpiry: -1 });
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    expect((await call(sandbox, 'GET', `/action_states/${id}`)).message).toBe('Action state not found');
    await using other = await manual();
    const own = started(await call(other, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    expect((await call(other, 'GET', `/action_states/${own}`, undefined, { as: 'admin' })).ok).toBe(false);
  });
});

describe('polling', () => {
  const echo = (current: number) =>
    `action_state[update_in]=1&action_state[status]=true&action_state[current]=${current}&action_state[total]=4`;

  test('answers at once without the values last seen, or with others', async () => {
    await using sandbox = await manual();
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    for (const query of ['action_state[update_in]=1', echo(3)]) {
      const told = await call(sandbox, 'GET', `/action_states/${id}/poll?${query}`);
      expect(told.response?.['action_state']).toMatchObject({ current: 0 });
    }
  });

  test('waits for a change of the values sent', async () => {
    await using sandbox = await manual();
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    const waiting = call(sandbox, 'GET', `/action_states/${id}/poll?${echo(0)}`);
    await expect.poll(() => sandbox.openRequests).toBe(1);
    sandbox.advance();
    expect((await waiting).response?.['action_state']).toMatchObject({ current: 1 });
  });

  test('without update_in waits for the end, or the time', async () => {
    await using sandbox = await manual();
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    const timed = await call(sandbox, 'GET', `/action_states/${id}/poll?action_state[timeout]=0.05`);
    expect(timed.response?.['action_state']).toMatchObject({ finished: false });
    const waiting = call(sandbox, 'GET', `/action_states/${id}/poll`);
    await expect.poll(() => sandbox.openRequests).toBe(1);
    sandbox.advance(4);
    expect((await waiting).response?.['action_state']).toMatchObject({ finished: true, current: 4 });
    const refused = await call(sandbox, 'GET', `/action_states/${id}/poll?action_state[timeout]=31`);
    expect(refused.errors).toEqual({ timeout: ['must be between 0 and 30'] });
  });

  test('ends when the client leaves', async () => {
    await using sandbox = await manual();
    const id = started(await call(sandbox, 'POST', '/datasets/12/snapshots', { snapshot: {} }));
    const left = new AbortController();
    const waiting = call(sandbox, 'GET', `/action_states/${id}/poll`, undefined, { signal: left.signal });
    await expect.poll(() => sandbox.openRequests).toBe(1);
    left.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => sandbox.openRequests).toBe(0);
  });
});

describe('writes change the data', () => {
  const atOnce = () => listenSandbox({ step: 0 });

  test('a dataset is created with the server’s defaults, changed, and taken away with all below it', async () => {
    await using sandbox = await atOnce();
    const told = await call(sandbox, 'POST', '/datasets', {
      dataset: { name: 'fresh', dataset: 12, quota: 5 },
    });
    expect(told.response?.['dataset']).toMatchObject({
      name: 'atlas/fresh',
      quota: 5,
      compression: true,
      recordsize: 131_072,
      parent: { id: 12 },
    });
    const path = `/datasets/${String(told.response?.['dataset']?.['id'])}`;
    expect((await call(sandbox, 'PUT', path, { dataset: { refquota: 7 } })).response?.['dataset']).toEqual(
      {},
    );
    expect((await call(sandbox, 'GET', path)).response?.['dataset']).toMatchObject({ quota: 5, refquota: 7 });
    const again = await call(sandbox, 'POST', '/datasets', { dataset: { name: 'fresh', dataset: 12 } });
    expect([again.status, again.message]).toEqual([409, "dataset 'atlas/fresh' already exists"]);
    expect((await call(sandbox, 'DELETE', '/datasets/12')).ok).toBe(true);
    expect((await call(sandbox, 'GET', path)).status).toBe(404);
  });

  test('properties are inherited from the parent, by names that exist', async () => {
    await using sandbox = await atOnce();
    await call(sandbox, 'PUT', '/datasets/12', { dataset: { quota: 77, atime: true } });
    const { response } = await call(sandbox, 'POST', '/datasets', {
      dataset: { name: 'heir', dataset: 12, quota: 1 },
    });
    const path = `/datasets/${String(response?.['dataset']?.['id'])}`;
    expect(
      (await call(sandbox, 'POST', `${path}/inherit`, { dataset: { property: 'quota, atime' } })).ok,
    ).toBe(true);
    expect((await call(sandbox, 'GET', path)).response?.['dataset']).toMatchObject({
      quota: 77,
      atime: true,
    });
    const refused = await call(sandbox, 'POST', `${path}/inherit`, { dataset: { property: 'colour' } });
    expect(refused.errors).toEqual({ property: ["property 'colour' does not exist"] });
  });

  test('a rollback takes the snapshots that came after it', async () => {
    await using sandbox = await atOnce();
    const list = async () => {
      const { response } = await call(sandbox, 'GET', '/datasets/12/snapshots');
      return ((response?.['snapshots'] ?? []) as unknown as { id: number }[]).map(({ id }) => id);
    };
    const before = await list();
    await call(sandbox, 'POST', `/datasets/12/snapshots/${before[1]}/rollback`);
    expect(await list()).toEqual(before.slice(0, 2));
  });

  test('an expansion adds space, keeps its history, and there is one a dataset', async () => {
    await using sandbox = await atOnce();
    const input = { dataset_expansion: { dataset: 15, added_space: 1024 } };
    const told = await call(sandbox, 'POST', '/dataset_expansions', input, { as: 'admin' });
    expect(told.response?.['dataset_expansion']).toMatchObject({
      state: 'active',
      added_space: 1024,
      stop_vps: true,
    });
    const path = `/dataset_expansions/${String(told.response?.['dataset_expansion']?.['id'])}`;
    await call(sandbox, 'POST', `${path}/history`, { history: { added_space: 512 } }, { as: 'admin' });
    const { response } = await call(sandbox, 'GET', `${path}/history`, undefined, { as: 'admin' });
    expect(response?.['histories']).toMatchObject([
      { added_space: 1024 },
      { added_space: 512, admin: { id: 1 } },
    ]);
    expect(
      (await call(sandbox, 'GET', path, undefined, { as: 'admin' })).response?.['dataset_expansion'],
    ).toMatchObject({ added_space: 1536 });
    expect((await call(sandbox, 'POST', '/dataset_expansions', input, { as: 'admin' })).status).toBe(409);
    const small = await call(sandbox, 'POST', '/dataset_expansions', {
      dataset_expansion: { dataset: 18, added_space: 0 },
    });
    expect(small.errors).toEqual({ added_space: ['must be at least 1'] });
  });

  test('the maintenance lock keeps its reason while it is set', async () => {
    await using sandbox = await atOnce();
    const admin = { as: 'admin' } as const;
    await call(
      sandbox,
      'POST',
      '/cluster/set_maintenance',
      { cluster: { lock: true, reason: 'disks' } },
      admin,
    );
    expect((await call(sandbox, 'GET', '/cluster')).response?.['cluster']).toEqual({
      maintenance_lock: true,
      maintenance_lock_reason: 'disks',
    });
    await call(sandbox, 'POST', '/cluster/set_maintenance', { cluster: { lock: false } }, admin);
    expect((await call(sandbox, 'GET', '/cluster')).response?.['cluster']).toEqual({
      maintenance_lock: false,
      maintenance_lock_reason: null,
    });
    expect(
      (await call(sandbox, 'POST', '/cluster/set_maintenance', { cluster: { lock: true } })).status,
    ).toBe(403);
  });

  test('null clears what may be null, and is refused elsewhere', async () => {
    await using sandbox = await atOnce();
    const { response } = await call(sandbox, 'POST', '/dns_records', {
      dns_record: { dns_zone: 4, type: 'A', content: '192.0.2.1', ttl: 600 },
    });
    const path = `/dns_records/${String(response?.['dns_record']?.['id'])}`;
    expect(
      (await call(sandbox, 'PUT', path, { dns_record: { ttl: null } })).response?.['dns_record'],
    ).toMatchObject({ ttl: null, content: '192.0.2.1' });
    expect((await call(sandbox, 'PUT', path, { dns_record: { enabled: null } })).errors).toEqual({
      enabled: ['cannot be null'],
    });
  });

  test('what a user may not see, he cannot write', async () => {
    await using sandbox = await atOnce();
    expect((await call(sandbox, 'DELETE', '/datasets/101')).status).toBe(404);
    expect((await call(sandbox, 'POST', '/datasets/101/snapshots', { snapshot: {} })).status).toBe(404);
    expect((await call(sandbox, 'POST', '/datasets/12/migrate', { dataset: { pool: 1 } })).status).toBe(403);
  });
});
