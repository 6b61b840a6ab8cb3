// Tests that the files for Docker, systemd and Kubernetes set only variables that the program reads.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { variablesOf } from '../../src/config/read-settings.ts';
import { serveSettings } from '../../src/config/serve-settings.ts';
import { settingsOf } from '../../src/config/setting.ts';

const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
const known = new Set(['NODE_ENV', ...variablesOf(settingsOf(serveSettings))]);
const namesIn = (assignments: string): readonly string[] =>
  [...assignments.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
const pod = parse(read('kubernetes/deployment.yaml')).spec.template.spec;

it.each<readonly [file: string, names: readonly string[]]>([
  ['Dockerfile', namesIn(/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '')],
  [
    'optiongraph.service',
    [...read('optiongraph.service').matchAll(/^#? ?Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      namesIn(line),
    ),
  ],
  ['compose.yaml', Object.keys(parse(read('compose.yaml')).services['optiongraph-1'].environment)],
  ['kubernetes/deployment.yaml', pod.containers[0].env.map(({ name }: { name: string }) => name)],
])('%s', (_file, names) => {
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

it('pods get no variables of services', () => {
  expect(pod.enableServiceLinks).toBe(false);
});
