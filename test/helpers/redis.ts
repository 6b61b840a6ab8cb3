// Starts Redis servers for tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { joinRedisReplicas, type RedisReplicasOptions } from '../../src/sharing/redis/redis-replicas.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';
import { makeFolder } from './folder.ts';
import { killAtExit } from './running-process.ts';

/** Whether there is a Redis server to start. Tests of it are skipped where there is none. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('SKIPPED: there is no redis-server, so nothing is shared through Redis');

/** The secret of the replicas in tests. */
export const REPLICAS_SECRET = 'canary-secret-of-all-the-replicas';

/** A Redis server at a Unix socket, with which nothing else is shared. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  /** Joins a replica. It leaves when the server stops. */
  join(options?: Partial<RedisReplicasOptions>): Promise<Replicas>;
  /** Records all that is sent to the server from now on. */
  record(): Promise<readonly string[]>;
  /** Sends a command of its own. */
  send(...command: string[]): Promise<unknown>;
  /** Stops the server without an answer to anyone, as a hanging machine does. */
  pause(): void;
  resume(): void;
  /** Ends the server. */
  stop(): Promise<void>;
  /** Starts the server again, empty. */
  start(): Promise<void>;
}

/** Starts a server. */
export async function startRedis(): Promise<TestRedis> {
  const folder = makeFolder();
  const socket = join(folder.path, 'redis.sock');
  const url = `unix://${socket}`;
  const joined: Replicas[] = [];
  const connect = () => createClient({ RESP: 2, url }).on('error', () => undefined);
  const client = connect();
  const recorders: ReturnType<typeof connect>[] = [];
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    server = await startRedisServer(['--port', '0', '--unixsocket', socket], folder.path);
  };
  const stop = async (): Promise<void> => {
    const ended = server;
    server = null;
    if (ended !== null) await stopRedisServer(ended);
  };
  await start();
  await client.connect();
  return {
    url,
    start,
    stop,
    async join(options = {}) {
      const secrets = [REPLICAS_SECRET];
      const replica = await joinRedisReplicas({
        address: url,
        ca: null,
        prefix: 'test',
        secrets,
        observer: {},
        ...options,
      });
      joined.push(replica);
      return replica;
    },
    async record() {
      const lines: string[] = [];
      const recorder = connect();
      recorders.push(recorder);
      await recorder.connect();
      await recorder.monitor((line) => void lines.push(String(line)));
      return lines;
    },
    send: (...command) => client.sendCommand(command),
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      for (const replica of joined) await replica.close();
      for (const one of [client, ...recorders]) one.destroy();
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

/** Starts a server that stores nothing on disk, and waits until it can be used. */
export async function startRedisServer(args: readonly string[], folder: string): Promise<ChildProcess> {
  const server = spawn('redis-server', [...args, '--save', '', '--appendonly', 'no', '--dir', folder]);
  killAtExit(server);
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text) => {
      if (/ready to accept/i.test(String(text))) resolve();
    });
    server.on('exit', () => reject(new Error(`redis-server ${args.join(' ')} has ended`)));
  });
  return server;
}

/** Ends a server, even if it is stopped. */
export async function stopRedisServer(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
