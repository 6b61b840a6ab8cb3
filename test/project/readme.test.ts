// Tests what the README says about versions of Node, the packed file, the explorer's address and user, and the first query.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { openEmbeddedSandbox } from '../../packages/tools/src/embedded-sandbox.ts';
import { ask, startFacade, startPair } from '../helpers/facade.ts';
import { readServe } from '../helpers/read-config.ts';

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const readme = read('README.md');
const { engines, license, name, version } = JSON.parse(read('package.json'));

it('names the oldest version of Node, and those that are tried', () => {
  const { matrix } = Object.values<{ strategy?: { matrix: { node?: number[] } } }>(
    parse(read('.github/workflows/ci.yml')).jobs,
  ).flatMap(({ strategy }) => (strategy?.matrix.node === undefined ? [] : [strategy]))[0] ?? { matrix: {} };
  const [, oldest, tried = ''] = /Node ([\d.]+) or later \(([\d, and]+) are tried\)/.exec(readme) ?? [];
  expect(`>=${oldest}`).toBe(engines.node);
  expect(tried.match(/\d+/g)?.map(Number)).toEqual(matrix.node);
});

it('names the packed file as npm does', () => {
  expect(readme).toContain(`./${name}-${version}.tgz`);
});

it('has a first query that the sandbox answers', async () => {
  const [, user = '', body = ''] = /--user (\S+) .*\\\n.*--data '(.+)'/.exec(readme) ?? [];
  await using pair = await startPair();
  const response = await pair.facade.yoga.fetch('http://facade.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(user)}` },
    body,
  });
  expect(await response.json()).toMatchObject({
    data: {
      datasets: {
        nodes: Array(3).fill({ id: expect.stringMatching(/^dataset\/\d+$/), user: { label: 'user' } }),
        totalCount: expect.any(Number),
      },
    },
    // What the README calls visible cost.
    extensions: { upstream: { calls: 1 } },
  });
});

it('names the address at which it serves by default', async () => {
  const { host, port } = await readServe(['--sandbox']);
  expect(readme).toContain(`http://${host}:${port}/graphql`);
});

it('has the explorer begin with a token of the user that it names', async () => {
  const [, login] = /starts with a token of the user `(\w+)`/.exec(readme) ?? [];
  const { sandbox, options, close } = await openEmbeddedSandbox(false, '');
  const facade = await startFacade(sandbox, options);
  const { data } = await ask(facade, '{ userCurrent { login } }', { headers: options.explorer.headers });
  expect(data).toEqual({ userCurrent: { login } });
  await facade.close();
  await close();
});

it('names the licence', () => {
  expect(readme).toMatch(new RegExp(`^Licence: ${license}\\.$`, 'm'));
  expect(read('LICENSE')).toContain(`${license} License`);
});
