// The settings of how clients reach the server, and how several processes serve together.
import { CLIENT_HEADERS } from '../upstream/http/client-headers.ts';
import { group, optional, setting } from './setting.ts';
import {
  basePathText,
  choice,
  file,
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
export const allowedHosts = setting(list(hostName()).default([]), '--allowed-hosts A,B', {
  help: "hosts that requests may name besides the public URL's and this machine's (`localhost`, loopback addresses); `*` for any. Others get 421",
  defaultText: "without a public URL any, but on a loopback address only this machine's",
});

/** Proxies that may state the address of a client. */
export const trustedProxies = setting(
  list(network()).default(['127.0.0.0/8', '::1']),
  '--trusted-proxies A,B',
  {
    isCommon: true,
    help: 'addresses and networks whose `X-Forwarded-For` is believed; `none` in a flag or variable for none',
    defaultText: 'this machine',
  },
);

/** What the management API learns about clients. */
export const clientHeaders = setting(
  list(choice(...CLIENT_HEADERS)).default([...CLIENT_HEADERS]),
  '--client-headers A,B',
  {
    help: 'headers that describe the client of a call to the management API: its address in `client-ip` and `x-forwarded-for`, its program in `user-agent`; `none` in a flag or variable for none',
    defaultText: 'all three',
  },
);

/** Unix socket to listen at. */
export const socket = setting(optional(text()), '--socket FILE', {
  help: 'Unix socket to listen at, in place of host and port; a socket from systemd is used without any setting',
});

/** Processes that serve. */
export const workers = setting(integer(1, 128).default(1), '--workers N', {
  help: 'number of processes that serve, to use several cores of one machine. They share as replicas do, without Redis too',
});

/** Path below which browsers reach the server. */
export const basePath = setting(optional(basePathText()), '--base-path PATH', {
  help: 'path below which browsers reach Optiongraph, such as `/api/graph`, whether or not the reverse proxy removes it',
  defaultText: 'the path of the public URL',
});

/** The certificate of the server. */
export const tls = group(
  {
    certificate: setting(optional(file()), '--tls-certificate FILE', {
      help: "PEM file with the server's certificate and those of its issuers; serves HTTPS. The files are read again when they change",
    }),
    key: setting(optional(file()), '--tls-key FILE', {
      help: 'PEM file with the key of the certificate',
    }),
  },
  'TLS',
);

/** How replicas share through Redis. */
export const redis = group(
  {
    address: setting(optional(redisAddress()), '--redis URL', {
      variable: 'REDIS_URL',
      isSecret: true,
      help: 'address of the Redis through which the replicas of a deployment share, such as `redis://host:6379`; `rediss:` for TLS, `redis+sentinel://host,host/name` for the primary of Sentinels, `redis+cluster://host,host` for a cluster. Give a password in the variable only. Requires `SESSION_SECRET`',
      defaultText: 'none: each process is on its own',
    }),
    ca: setting(optional(pemFile()), '--redis-ca FILE', {
      help: 'PEM file with the authorities whose certificates of Redis are trusted',
      defaultText: "Node's",
    }),
    prefix: setting(text().default('optiongraph'), '--redis-prefix TEXT', {
      help: 'beginning of all keys and channels; deployments that share a Redis need different ones',
    }),
  },
  'Replicas',
);
