// The settings of how clients reach the server, and how several processes serve together.
import { CLIENT_HEADERS } from '../upstream/http/client-headers.ts';
import { group, optional, setting } from './setting.ts';
import {
  basePathText,
  choice,
  hostName,
  integer,
  list,
  network,
  pemFile,
  redisAddress,
  text,
} from './values.ts';

/** Port to listen at. */
export const port = (fallback: number) =>
  setting(integer(0, 65_535).default(fallback), '--port N', {
    variable: 'PORT',
    isCommon: true,
    help: 'TCP port; 0 is any free one',
    defaultText: `${fallback}`,
  });

/** Address to listen at. */
export const host = setting(text().default('127.0.0.1'), '--host NAME', {
  isCommon: true,
  help: 'address to listen at',
});

/** Hosts that requests may name. */
export const allowedHosts = setting(list(hostName()).default([]), null, {
  help: "hosts that requests may name besides the public URL's and this machine's; `*` for any. Others get 421",
  defaultText: "without a public URL any, but on a loopback address only this machine's",
});

/** Proxies that may state the address of a client. */
export const trustedProxies = setting(
  list(network()).default(['127.0.0.0/8', '::1']),
  '--trusted-proxies A,B',
  {
    isCommon: true,
    help: 'addresses and networks whose `X-Forwarded-For` is believed, or `none`',
    defaultText: 'this machine',
  },
);

/** What the management API learns about clients. */
export const clientHeaders = setting(list(choice(...CLIENT_HEADERS)).default([...CLIENT_HEADERS]), null, {
  help: 'headers by which the API learns the address of a client (`client-ip`, `x-forwarded-for`) and its program (`user-agent`), or `none`',
  defaultText: 'all three',
});

/** Unix socket to listen at. */
export const socket = setting(optional(text()), null, {
  help: 'Unix socket to listen at, in place of host and port',
});

/** Path below which browsers reach the server. */
export const basePath = setting(optional(basePathText()), null, {
  help: 'path below which browsers reach Optiongraph, such as `/api/graph`',
  defaultText: 'the path of the public URL',
});

/** How replicas share through Redis. */
export const redis = group(
  {
    address: setting(optional(redisAddress()), '--redis URL', {
      variable: 'REDIS_URL',
      isSecret: true,
      help: 'address of the Redis through which replicas share: `redis://host:port/database`, `rediss:` for TLS, `unix:///file`, `redis+sentinel://host,host/name`, `redis+cluster://host,host`. With a password, give it by the variable. Requires `SESSION_SECRET`',
      defaultText: 'none: each process is on its own',
    }),
    ca: setting(optional(pemFile()), null, {
      help: 'PEM file with the authorities trusted for Redis',
      defaultText: "Node's",
    }),
    prefix: setting(text().default('optiongraph'), null, {
      help: 'beginning of all keys and channels; different for deployments that share a Redis',
    }),
  },
  'Replicas',
);
