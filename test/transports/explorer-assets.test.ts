// Tests that the explorer's files are the same in each encoding.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ExplorerAssets } from '../../src/transports/explorer-assets.ts';

const assets = new ExplorerAssets();
const [entry = ''] = assets.pageFiles?.scripts ?? [];

it('has each script and style in all encodings', async () => {
  for (const name of [entry, ...(assets.pageFiles?.styles ?? [])]) {
    const [br, gzip, identity] = await Promise.all(
      (['br', 'gzip', 'identity'] as const).map((encoding) => assets.read(name, encoding)),
    );
    expect([br?.encoding, gzip?.encoding, identity?.encoding]).toEqual(['br', 'gzip', 'identity']);
    const plain = identity?.body ?? Buffer.alloc(0);
    expect(plain.length).toBeGreaterThan(100);
    expect(brotliDecompressSync(br?.body ?? '').equals(plain)).toBe(true);
    expect(gunzipSync(gzip?.body ?? '').equals(plain)).toBe(true);
  }
});

it('converts a file once', async () => {
  const [one, other] = await Promise.all([assets.read(entry, 'gzip'), assets.read(entry, 'gzip')]);
  expect(one.body).toBe(other.body);
});

it('knows its files by name, without how they are stored', () => {
  expect(assets.typeOf(entry)).toBe('text/javascript; charset=utf-8');
  for (const name of [`${entry}.br`, `${entry}.gz`, 'manifest.json', 'constructor', '../package.json'])
    expect(assets.typeOf(name)).toBeNull();
});
