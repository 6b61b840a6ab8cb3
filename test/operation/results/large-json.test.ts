// Tests that large results are written in pieces, as JSON.stringify writes them.
import { get, type IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LargeJson } from '../../../src/operation/results/large-json.ts';
import { largeValuesOf } from '../../../src/operation/results/results.ts';
import { overWebSocket } from '../../helpers/streams.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;

async function write(data: Record<string, unknown>, limit = NO_LIMIT) {
  const json = new LargeJson();
  let pauses = 0;
  const large = largeValuesOf({ data }, limit);
  const bytes = await json.write(large, limit, () => {
    pauses += 1;
    return pauses % 2 === 0 ? Promise.resolve() : undefined;
  });
  const result = { errors: [], data };
  const standIn = json.standInFor(data);
  return {
    standIn,
    textOfStandIn: Buffer.concat(json.encode({ errors: [], data: standIn })).toString(),
    isWithin: bytes !== null,
    pauses,
    isLarge: large.length > 0,
    pieces: json.encode(result),
  };
}

describe('the writer of large results', () => {
  it('writes what JSON.stringify writes', async () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, undefined, new Date(0), 'x'.repeat(70_000), '\ud800', { toJSON: () => 'y' }),
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'medium' },
        leaf,
        fc.array(tie('node'), { maxLength: 8 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 8 }),
      ),
    }));
    let large = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), node, { maxKeys: 8 }), async (data) => {
        const { pieces, isLarge, standIn, textOfStandIn } = await write(data);
        const text = Buffer.concat(pieces).toString();
        if (isLarge) large += 1;
        expect(text).toBe(JSON.stringify({ errors: [], data }));
        // What stands for a value is written like it, and has its fields.
        expect(textOfStandIn).toBe(text);
        expect(JSON.stringify(standIn)).toBe(JSON.stringify(data));
      }),
      { numRuns: 40 },
    );
    expect(large).toBeGreaterThan(5);
  });

  it('pauses after each item of a long list, makes short pieces, and ends at the limit', async () => {
    const data = { rows: Array.from({ length: 10_000 }, (_, id) => ({ id, name: 'a name of some length' })) };
    const whole = await write(data);
    expect(whole.pauses).toBeGreaterThan(10_000);
    expect(Math.max(...whole.pieces.map(({ length }) => length))).toBeLessThan(70_000);
    const cut = await write(data, 100_000);
    expect(cut.isWithin).toBe(false);
    expect(cut.pauses).toBeLessThan(3_000);
  });
});

describe('large results', () => {
  const LONG = 'xé'.repeat(50_000);
  const query = `{ tool(id: 5) { ${Array.from({ length: 20 }, (_, index) => `a${index}: name`).join(' ')} } }`;
  const tool = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a${index}`, LONG]));

  it.each(['identity', 'gzip', 'br'])(
    'arrive as they are by POST, with the encoding %s',
    async (encoding) => {
      await using shop = await openWorkshop({ 'tool#show': () => ok({ tool: { id: 5, name: LONG } }) });
      const { url } = await shop.listen();
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'accept-encoding': encoding,
          'x-library-token': 'one',
        },
        body: JSON.stringify({ query }),
      });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(await response.json()).toMatchObject({ data: { tool } });
    },
  );

  it.each([
    ['by GET', null],
    ['as an event', 'text/event-stream'],
    ['as a part', 'multipart/mixed'],
  ])('arrive in pieces %s', async (_how, accept) => {
    await using shop = await openWorkshop({ 'tool#show': () => ok({ tool: { id: 5, name: LONG } }) });
    const { url } = await shop.listen();
    const headers = { 'x-library-token': 'one', 'x-apollo-operation-name': 'any' };
    const { pieces, head } = await new Promise<{ pieces: Buffer[]; head: IncomingHttpHeaders }>((resolve) => {
      const address = `${url}?query=${encodeURIComponent(query)}`;
      get(address, { headers: { ...headers, ...(accept && { accept }) } }, (response) => {
        const all: Buffer[] = [];
        response.on('data', (piece: Buffer) => all.push(piece));
        response.once('end', () => resolve({ pieces: all, head: response.headers }));
      });
    });
    const text = Buffer.concat(pieces).toString();
    const json = text.slice(text.indexOf('{"data"'), text.lastIndexOf('}') + 1);
    expect(JSON.parse(json)).toMatchObject({ data: { tool } });
    const length = /content-length: (\d+)/i.exec(
      accept === null ? `content-length: ${head['content-length']}` : text,
    );
    if (accept !== 'text/event-stream') expect(Number(length?.[1])).toBe(Buffer.byteLength(json));
  });

  it.each([null, 'text/event-stream', 'multipart/mixed'])(
    'leave `fetch` in pieces, with the type %s',
    async (accept) => {
      await using shop = await openWorkshop({ 'tool#show': () => ok({ tool: { id: 5, name: LONG } }) });
      const response = await shop.facade.yoga.fetch(
        new Request(`http://any.test/graphql?query=${encodeURIComponent(query)}`, {
          headers: {
            'x-library-token': 'one',
            'x-apollo-operation-name': 'any',
            ...(accept && { accept }),
          },
        }),
      );
      const sizes: number[] = [];
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        sizes.push(chunk.length);
      expect(sizes.length).toBeGreaterThan(10);
      expect(Math.max(...sizes)).toBeLessThan(250_000);
    },
  );

  it('arrive as they are over WebSocket', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => ok({ tool: { id: 5, name: LONG } }) });
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, query, { 'x-library-token': 'one' });
    expect(await stream.next()).toMatchObject({ tool });
  });
});
