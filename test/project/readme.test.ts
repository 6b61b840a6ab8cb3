// Tests what the README says about versions of Node, the packed file and the first query.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startPair } from '../helpers/facade.ts';

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const readme = read('README.md');
const { engines, name, version } = JSON.parse(read('package.json'));

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
