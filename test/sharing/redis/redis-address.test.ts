// Tests how the address of Redis is parsed.
import { describe, expect, it } from 'vitest';
import { parseRedisAddress } from '../../../src/sharing/redis/redis-address.ts';

const NONE = {
  kind: 'server',
  hasTls: false,
  username: null,
  password: null,
  hosts: [],
  socket: null,
  primary: null,
  database: 0,
};
const at = (host: string, port: number) => ({ host, port });

describe('the address of Redis', () => {
  it.each([
    ['redis://cache', { hosts: [at('cache', 6379)] }],
    ['redis://cache:6380/3', { hosts: [at('cache', 6380)], database: 3 }],
    ['redis://[::1]:7000/', { hosts: [at('::1', 7000)] }],
    ['rediss://:p%40ss@cache', { hasTls: true, password: 'p@ss', hosts: [at('cache', 6379)] }],
    ['redis://me:a:b%@cache', { username: 'me', password: 'a:b%', hosts: [at('cache', 6379)] }],
    [
      'redis+sentinel://me:pass@one,two:26380/primary/4',
      {
        kind: 'sentinel',
        username: 'me',
        password: 'pass',
        hosts: [at('one', 26_379), at('two', 26_380)],
        primary: 'primary',
        database: 4,
      },
    ],
    [
      'rediss+cluster://one,two:7001',
      { kind: 'cluster', hasTls: true, hosts: [at('one', 6379), at('two', 7001)] },
    ],
    ['unix:///run/redis.sock', { socket: '/run/redis.sock' }],
    ['unix://:pass@/run/redis.sock', { password: 'pass', socket: '/run/redis.sock' }],
  ])('%s is accepted', (text, expected) => {
    expect(parseRedisAddress(text)).toEqual({ ...NONE, ...expected });
  });

  it.each([
    'cache:6379',
    'http://cache',
    'redis://',
    'redis://one,two',
    'redis://cache/name',
    'redis://cache:port',
    'redis+sentinel://one',
    'redis+cluster://one/1',
    'redis+unix:/file',
    'unix://file',
  ])('%s is refused', (text) => {
    expect(parseRedisAddress(text)).toBeNull();
  });
});
