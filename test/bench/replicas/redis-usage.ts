// What replicas cost Redis.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from '@redis/client';
import type { TestRedis } from '../../helpers/redis.ts';

/** What Redis has done since it started. */
export interface RedisUsage {
  /** Commands of clients by name, without those inside of scripts. */
  readonly claims: number;
  readonly messages: number;
  /** Milliseconds. */
  readonly cpu: number;
}

/** What one thing costs Redis, in microseconds of CPU time. */
export interface RedisCosts {
  readonly claim: number;
  /** Without its deliveries. */
  readonly message: number;
  /** A message for one of those who receive it. */
  readonly delivery: number;
}

export async function readUsage(redis: TestRedis): Promise<RedisUsage> {
  const text = String(await redis.send('INFO', 'everything'));
  const read = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    claims: read(/cmdstat_eval:calls=(\d+)/),
    messages: read(/cmdstat_publish:calls=(\d+)/),
    cpu: 1_000 * (read(/used_cpu_sys:([\d.]+)/) + read(/used_cpu_user:([\d.]+)/)),
  };
}

const COMMANDS = 40_000;
const MESSAGES = 4_000;
const RECEIVERS = 100;
/** A message with the states of a few actions. */
const MESSAGE = 'x'.repeat(1_000);
const CHANNEL = 'costs';
/** As long as the one of a lease. */
const CLAIM = `local time = redis.call('time')
local holder = redis.call('get', KEYS[1])
if not holder or holder == ARGV[1] then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return time[1] * 1000000 + time[2]`;

/** Measures a Redis that does nothing else. Commands come one at a time over many connections, as those of replicas do. */
export async function measureRedis(redis: TestRedis): Promise<RedisCosts> {
  const claim = await measure(redis, COMMANDS, ['EVAL', CLAIM, '1', 'lease:__rand_int__', 'holder', '3000']);
  const message = await measure(redis, COMMANDS, ['PUBLISH', CHANNEL, MESSAGE]);
  const receivers = Array.from({ length: RECEIVERS }, () => createClient({ RESP: 2, url: redis.url }));
  try {
    for (const receiver of receivers) {
      await receiver.connect();
      await receiver.subscribe(CHANNEL, () => undefined);
    }
    const received = await measure(redis, MESSAGES, ['PUBLISH', CHANNEL, MESSAGE]);
    return { claim, message, delivery: (received - message) / RECEIVERS };
  } finally {
    for (const receiver of receivers) receiver.destroy();
  }
}

/** Microseconds of CPU time of a command. */
async function measure(redis: TestRedis, count: number, command: readonly string[]): Promise<number> {
  const socket = new URL(redis.url).pathname;
  const before = await readUsage(redis);
  const options = ['-q', '-s', socket, '-c', '50', '-r', '10000', '-n', `${count}`];
  await promisify(execFile)('redis-benchmark', [...options, ...command]);
  const after = await readUsage(redis);
  return (1_000 * (after.cpu - before.cpu)) / count;
}
