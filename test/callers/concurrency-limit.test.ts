// Tests that one caller cannot occupy all connections to the upstream.
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../src/sandbox/listen-sandbox.ts';
import { createFacade } from '../../src/server/facade.ts';
import { ask, collectLog } from '../helpers/facade.ts';
import { holdUpstream } from '../helpers/held-upstream.ts';

const LIST = '{ datasets(first: 1) { nodes { id } } }';
const isList = (target: string): boolean => target.includes('/datasets');

describe('a caller who sends more requests than the upstream answers', () => {
  it('leaves half of the connections to others, and gets every response in turn', async () => {
    await using sandbox = await listenSandbox();
    await using upstream = await holdUpstream(sandbox, isList);
    await using facade = await createFacade({ upstream: upstream.url, log: collectLog() });
    const [admin, user] = ['admin', 'user'].map((login) => ({
      headers: {
        [sandbox.tokenHeader]: sandbox.users.find((one) => one.login === login)?.token ?? '',
      },
    }));
    const many = Array.from({ length: 40 }, () => ask(facade, LIST, user));
    await upstream.waitForHeld(16);
    expect((await ask(facade, '{ userCurrent { login } }', admin)).data).toEqual({
      userCurrent: { login: 'admin' },
    });
    expect(upstream.held).toHaveLength(16);
    for (let released = 0; released < many.length; released += 1) {
      const held = await upstream.waitForHeld(released + 1);
      expect(upstream.held.length - released).toBeLessThanOrEqual(16);
      await held[released]?.release();
    }
    for (const { errors } of await Promise.all(many)) expect(errors).toEqual([]);
  });
});
