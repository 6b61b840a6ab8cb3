// Tests that the explorer's files are the same in each encoding.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ExplorerFiles } from '../../../src/plugins/explorer/page-files.ts';

const files = new ExplorerFiles();
const [entry = ''] = files.page?.scripts ?? [];

it('has each script and style in all encodings, each converted once', async () => {
  for (const name of [entry, ...(files.page?.styles ?? [])]) {
    const [br, gzip, identity] = await Promise.all(
      (['br', 'gzip', 'identity'] as const).map((encoding) => files.read(name, encoding)),
    );
    expect([br?.encoding, gzip?.encoding, identity?.encoding]).toEqual(['br', 'gzip', 'identity']);
    const plain = identity?.body ?? Buffer.alloc(0);
    expect(plain.length).toBeGreaterThan(100);
    expect(brotliDecompressSync(br?.body ?? '').equals(plain)).toBe(true);
    expect(gunzipSync(gzip?.body ?? '').equals(plain)).toBe(true);
    expect((await files.read(name, 'gzip'))?.body).toBe(gzip?.body);
  }
});

it('knows its files by name, without how they are stored', async () => {
  expect(await files.read(entry, 'br')).toMatchObject({ contentType: 'text/javascript; charset=utf-8' });
  for (const name of [`${entry}.br`, `${entry}.gz`, 'page.json', 'constructor', '../package.json'])
    expect(await files.read(name, 'br')).toBeNull();
});
