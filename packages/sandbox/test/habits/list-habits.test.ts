// Tests lists with a clamped limit, a wide count, broken rows and outputs that are never sent.
import { describe, expect, test } from 'vitest';
import {
  type Json,
  ordinaryUser,
  readIds,
  readList,
  readObject,
  send,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const SNAPSHOTS = '/v7.0/datasets/2/snapshots?snapshot';

describe('a clamped limit', () => {
  test('cuts a higher limit and a list without limit, with no error', async () => {
    await using sandbox = await listenSandbox({ clampedLimit: 50 });
    const lengthFor = async (query: string) => (await readIds(sandbox, `${SNAPSHOTS}${query}`)).length;
    expect(await lengthFor('[limit]=1000')).toBe(50);
    expect(await lengthFor('[from_id]=0')).toBe(50);
    expect(await lengthFor('[limit]=7')).toBe(7);
    const { envelope } = await send(sandbox, `${SNAPSHOTS}[limit]=100&_meta[count]=true`);
    expect(envelope).toMatchObject({ status: true, response: { _meta: { total_count: 150 } } });
    expect(await readIds(sandbox, '/v5.0/datasets?dataset[offset]=10')).toHaveLength(50);
  });
});

test('a wide count includes rows that the caller does not see', async () => {
  await using sandbox = await listenSandbox({ wideCount: true, logs: 700 });
  await using exact = await listenSandbox({ logs: 700 });
  const read = async (from: Sandbox, filter = '') => {
    const target = `/v7.0/user_sessions?_meta[count]=true${filter}`;
    const { envelope } = await send(from, target, ordinaryUser(from));
    const { user_sessions: rows, _meta } = envelope['response'] ?? {};
    return { seen: Number(rows?.['length']), counted: Number(_meta?.['total_count']) };
  };
  const all = await read(sandbox);
  expect(all.counted).toBe(700);
  expect(all.seen).toBeLessThan(400);
  expect(await read(exact)).toEqual({ seen: all.seen, counted: all.seen });
  const filtered = await read(sandbox, '&user_session[auth_type]=basic');
  const basic = sandbox.rows('user_sessions').filter((row) => row['auth_type'] === 'basic');
  expect(filtered.counted).toBe(basic.length);
  expect(filtered.seen).toBeLessThan(basic.length);
});

describe('a broken row', () => {
  const ids = async (sandbox: Sandbox, query: string) => {
    const { status, envelope } = await send(sandbox, `${SNAPSHOTS}${query}`);
    if (status !== 200) return { status, message: envelope['message'] };
    const rows = (envelope['response']?.['snapshots'] ?? []) as unknown as readonly Json[];
    return rows.map(({ id }) => Number(id));
  };

  test('makes each page fail that contains it, and no other page or action', async () => {
    await using whole = await listenSandbox();
    const all = await readIds(whole, `${SNAPSHOTS}[limit]=1000`);
    const broken = all[40] ?? 0;
    await using sandbox = await listenSandbox({ brokenRows: { 'dataset.snapshot#index': [broken] } });
    const failure = { status: 404, message: 'object not found' };
    expect(await ids(sandbox, '[limit]=1000')).toEqual(failure);
    expect(await ids(sandbox, `[from_id]=${all[39]}&snapshot[limit]=1`)).toEqual(failure);
    expect(await ids(sandbox, '[limit]=40')).toEqual(all.slice(0, 40));
    expect(await ids(sandbox, `[from_id]=${broken}`)).toEqual(all.slice(41));
    expect(await ids(sandbox, '[limit]=0')).toEqual([]);
    expect((await send(sandbox, `/v7.0/datasets/2/snapshots/${broken}`)).status).toBe(200);
    expect(await readIds(sandbox, '/v7.0/datasets')).not.toEqual([]);
  });
});

describe('an output that is never sent', () => {
  const unsentOutputs = { vps: ['memory', 'node'], 'dataset.snapshot': ['label'] };

  test('is described, and is in no response', async () => {
    await using sandbox = await listenSandbox({ unsentOutputs });
    const vpses = await readList(sandbox, '/v7.0/vpses');
    expect(vpses.length).toBeGreaterThan(10);
    const included = await readObject(sandbox, '/v7.0/datasets/1?_meta[includes]=vps');
    const shown = await readObject(sandbox, '/v7.0/vpses/1');
    for (const vps of [...vpses, shown, included?.['vps']]) {
      expect(vps).toHaveProperty('hostname');
      expect(vps).not.toHaveProperty('memory');
      expect(vps).not.toHaveProperty('node');
    }
    const snapshots = await readList(sandbox, `${SNAPSHOTS}[limit]=3`);
    expect(snapshots.map((row) => 'label' in row)).toEqual([false, false, false]);
    const { envelope } = await send(sandbox, '/v7.0/', undefined, { method: 'OPTIONS' });
    const { vps } = envelope['response']?.['resources'] ?? {};
    for (const action of ['index', 'show'])
      expect(vps?.['actions']?.[action]?.['output']?.['parameters']).toMatchObject({
        memory: { type: 'Integer' },
        node: { type: 'Resource' },
      });
  });
});
