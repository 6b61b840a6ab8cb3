// Tests that the explorer's files are the same in each encoding.
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ExplorerFiles } from '../../../src/plugins/explorer/explorer-page.ts';

const files = new ExplorerFiles();
const [entry = ''] = files.page?.scripts ?? [];

it('has each script and style in both encodings, each converted once', async () => {
  for (const name of [entry, ...(files.page?.styles ?? [])]) {
    const [br, identity] = await Promise.all([files.read(name, true), files.read(name, false)]);
    expect([br?.encoding, identity?.encoding]).toEqual(['br', 'identity']);
    const plain = (await identity?.body.text()) ?? '';
    expect(plain.length).toBeGreaterThan(100);
    expect(brotliDecompressSync((await br?.body.arrayBuffer()) ?? '').toString()).toBe(plain);
    expect((await files.read(name, false))?.body).toBe(identity?.body);
  }
});

it('knows its files by name, without how they are stored', async () => {
  expect(await files.read(entry, true)).toMatchObject({ contentType: 'text/javascript; charset=utf-8' });
  for (const name of [`${entry}.br`, `${entry}.gz`, 'page.json', 'constructor', '../package.json'])
    expect(await files.read(name, true)).toBeNull();
});
