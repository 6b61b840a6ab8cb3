// Tests the configuration of HAProxy: the program accepts it, and it knows the replicas of the Compose file.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasProxy } from '../helpers/proxy.ts';

const FOLDER = new URL('../../deploy/', import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

it.skipIf(!hasProxy)('is valid', () => {
  const file = fileURLToPath(new URL('haproxy.cfg', FOLDER));
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' });
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
});

it('knows each replica of the Compose file', () => {
  const servers = [...text('haproxy.cfg').matchAll(/^ +server \w+ (\S+):4000$/gm)].map(([, name]) => name);
  const services = Object.keys(parse(text('compose.yaml')).services);
  expect(servers).toEqual(services.filter((name) => name.startsWith('optiongraph')));
});
