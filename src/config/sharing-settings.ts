// The settings of what the replicas of a deployment share.
import { group, optional, setting } from './setting.ts';
import { pemFile, redisAddress, text } from './values.ts';

/** How replicas share through Redis. */
export const redis = group(
  {
    address: setting(optional(redisAddress()), {
      flag: '--redis URL',
      variable: 'REDIS_URL',
      isSecret: true,
      help: 'address of the Redis through which the replicas of a deployment share, such as `redis://host:6379`; `rediss:` for TLS, `redis+sentinel://host,host/name` for the primary of Sentinels, `redis+cluster://host,host` for a cluster. Give a password in the variable only. Requires `SESSION_SECRET`',
      defaultText: 'none: each process is on its own',
    }),
    ca: setting(optional(pemFile()), {
      flag: '--redis-ca FILE',
      help: 'PEM file with the authorities whose certificates of Redis are trusted',
      defaultText: "Node's",
    }),
    prefix: setting(text().default('optiongraph'), {
      flag: '--redis-prefix TEXT',
      help: 'beginning of all keys and channels; deployments that share a Redis need different ones',
    }),
  },
  'Replicas',
);
