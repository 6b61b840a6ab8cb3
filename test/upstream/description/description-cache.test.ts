// Tests the folder that stores descriptions for a start while the upstream is down.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../../src/facade/facade.ts';
import { UpstreamUnreachableError } from '../../../src/upstream/errors.ts';
import { readAuthorization } from '../../../src/upstream/http/caller.ts';
import { ask, collectLog } from '../../helpers/facade.ts';
import { makeFolder } from '../../helpers/folder.ts';

const operator = readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`);

const open = (url: string, cacheDir: string, version: string | null = null, log = collectLog()) =>
  createFacade({ upstream: new URL(url), descriptionCredential: operator, cacheDir, version, log });

describe('a folder for descriptions', () => {
  it.each([null, '7.0'])(
    'lets the facade start while the upstream is down (version %s), and refresh when it is back',
    async (version) => {
      using cache = makeFolder();
      const sandbox = await listenSandbox();
      const port = Number(new URL(sandbox.url).port);
      const first = await open(sandbox.url, cache.path, version);
      await first.close();
      await sandbox.close();

      const log = collectLog();
      await using facade = await open(sandbox.url, cache.path, version, log);
      expect(log.lines).toEqual([
        expect.stringMatching(/^the management API is down; its description of \d{4}-\S+Z is served/),
      ]);
      expect(Object.keys(facade.schema.schema.getQueryType()?.getFields() ?? {})).toContain('datasets');
      const { errors } = await ask(facade, '{ datasets { nodes { id } } }', {
        headers: { authorization: operator.value },
      });
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);

      await using _back = await listenSandbox({ port });
      await facade.refresh();
      const answer = await ask(facade, '{ datasets(first: 1) { nodes { id } } }', {
        headers: { authorization: operator.value },
      });
      expect(answer.errors).toEqual([]);
    },
  );

  it('that cannot be made is logged, and the facade starts without it', async () => {
    await using sandbox = await listenSandbox();
    const log = collectLog();
    await using facade = await open(sandbox.url, '/dev/null/cache', null, log);
    expect(facade.schema.schema.getQueryType()).toBeDefined();
    expect(log.lines).toEqual([expect.stringContaining('could not be stored in the cache folder')]);
  });

  it('contains no secret, and the facade ignores its damaged files', async () => {
    using cache = makeFolder();
    const sandbox = await listenSandbox();
    await (await open(sandbox.url, cache.path)).close();
    await sandbox.close();
    const [file = '', ...others] = await readdir(cache.path);
    expect(others).toEqual([]);
    expect(file).not.toContain('127.0.0.1');
    const good = await readFile(join(cache.path, file), 'utf8');
    for (const damaged of [
      good.slice(0, 1_000),
      '{"description":{}}',
      '{"description":{"resources":[]},"keptAt":"2026-01-01"}',
    ]) {
      await writeFile(join(cache.path, file), damaged);
      await expect(open(sandbox.url, cache.path)).rejects.toThrow(UpstreamUnreachableError);
    }
    await writeFile(join(cache.path, file), good);
    await (await open(sandbox.url, cache.path)).close();
  });

  it('does not serve the description of another operator credential', async () => {
    using cache = makeFolder();
    const sandbox = await listenSandbox();
    await (await open(sandbox.url, cache.path)).close();
    await sandbox.close();
    const anonymous = { upstream: new URL(sandbox.url), cacheDir: cache.path, log: collectLog() };
    await expect(createFacade(anonymous)).rejects.toThrow(UpstreamUnreachableError);
  });
});
