// Tests that large results take memory while they are written and sent, over all transports.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ok } from '../../helpers/stub-upstream.ts';
import { type Result, TRANSPORTS } from '../../helpers/transports.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const MIB = 1_024 * 1_024;
const handlers = {
  'tool#show': () => ok({ tool: { id: 5, name: 'x'.repeat(MIB), weight: 1, owner: null } }),
  'tool#stamp': () => ok({ tool: { id: 5, name: 'x'.repeat(MIB), weight: 1, owner: null, secret: '' } }),
};
const limits = { upstream: { memory: 32 * MIB } };
const aliases = (count: number): string =>
  Array.from({ length: count }, (_, index) => `a${index}: name`).join(' ');
const read = (count: number) => ({ query: `{ tool(id: 5) { ${aliases(count)} } }` });
const sizeOf = ({ data }: Result): number => JSON.stringify(data).length;
const headers = { 'x-library-token': 'one' };

describe.each(TRANSPORTS)('the memory of a result over %s', (_name, send) => {
  it('is given back when the result is sent', async () => {
    await using shop = await openWorkshop(handlers, { limits });
    const { url } = await shop.listen();
    for (let count = 0; count < 4; count += 1)
      expect(sizeOf(await send(url, read(18), headers))).toBeGreaterThan(18 * MIB);
  });
});

describe('the memory of a result', () => {
  it('is held until its client has read it or has left, and the next result waits for it', async () => {
    await using shop = await openWorkshop(handlers, { limits });
    const { url } = await shop.listen();
    const { hostname, port, pathname } = new URL(url);
    const body = JSON.stringify(read(18));
    const slow = connect(Number(port), hostname);
    slow.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nx-library-token: two\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(slow, 'data');
    slow.pause();
    let hasAnswer = false;
    const waiting = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }).then((response) => {
      hasAnswer = true;
      return response.json() as Promise<Result>;
    });
    const before = shop.upstream.calls.length;
    while (shop.upstream.calls.length === before) await new Promise(setImmediate);
    for (let count = 0; count < 20; count += 1) await shop.ask('{ __typename }');
    expect(hasAnswer).toBe(false);
    slow.destroy();
    expect(sizeOf(await waiting)).toBeGreaterThan(18 * MIB);
  });

  it('is an error where there is too little, which says that a write was carried out', async () => {
    await using shop = await openWorkshop(handlers, { limits: { upstream: { memory: 8 * MIB } } });
    const { url } = await shop.listen();
    const [, send] = TRANSPORTS[0] ?? [];
    const query = `mutation { toolStamp(id: 5) { tool { ${aliases(18)} } } }`;
    const result = await send?.(url, { query }, headers);
    expect(result?.errors).toMatchObject([
      {
        message: expect.stringContaining('but its writes were carried out'),
        extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' },
      },
    ]);
  });
});
