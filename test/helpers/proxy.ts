// Starts HAProxy with the configuration of `deploy`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folder.ts';
import { findPort } from './plain-server.ts';
import { killAtExit } from './running-process.ts';
import { recordOutput } from './secrecy.ts';

/** Whether there is an HAProxy to start. Tests of it are skipped where there is none. */
export const hasProxy = spawnSync('haproxy', ['-v']).status === 0;
if (!hasProxy) console.warn('SKIPPED: there is no haproxy, so nothing is tested behind a proxy');

/** A proxy in front of replicas. */
export interface TestProxy extends AsyncDisposable {
  /** Address without a path. */
  readonly url: string;
}

/** Replaces a text that must occur. */
function replace(text: string, old: string, by: string): string {
  if (!text.includes(old)) throw new Error(`expected ${old} in the configuration of the proxy`);
  return text.replace(old, by);
}

/**
 * Starts the proxy of `deploy/haproxy.cfg` with other ports, and waits until it finds a replica ready.
 * @param ports The ports of the replicas.
 */
export async function startProxy(ports: readonly number[]): Promise<TestProxy> {
  const port = await findPort();
  const folder = makeFolder();
  const file = join(folder.path, 'haproxy.cfg');
  const given = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8');
  const listening = replace(given, 'bind :4000', `bind 127.0.0.1:${port}`);
  const config = ports.reduce(
    (text, replica, index) => replace(text, `optiongraph-${index + 1}:4000`, `127.0.0.1:${replica}`),
    listening,
  );
  writeFileSync(file, config);
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(proxy);
  for (const stream of [proxy.stdout, proxy.stderr])
    stream.on('data', (chunk) => recordOutput('the log of the proxy', String(chunk)));
  const ended = once(proxy, 'close');
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    return response?.status === 200;
  };
  while (proxy.exitCode === null && !(await isReady()));
  if (proxy.exitCode !== null) throw new Error(`haproxy has ended with ${proxy.exitCode}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      proxy.kill('SIGKILL');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}
