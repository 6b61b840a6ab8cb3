// The groups of the settings of `optiongraph serve`.
import type * as z from 'zod';
import { LOG_LEVELS } from '../log.ts';
import { LIMITS, type Limit } from '../server/limits.ts';
import { LANGUAGE_HEADER } from '../upstream/http/languages.ts';
import { group, optional, setting } from './setting.ts';
import * as values from './values.ts';

const upstream = group(
  {
    url: setting(
      optional(
        values.address(
          'https://api.example.org/',
          'use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller',
        ),
      ),
      '--upstream URL',
      {
        variable: 'UPSTREAM_URL',
        isCommon: true,
        help: 'address of the management API; required unless `--sandbox` is given',
      },
    ),
    version: setting(optional(values.text()), '--api-version V', {
      isCommon: true,
      help: 'version of the API',
      defaultText: "the API's default version",
    }),
    authorization: setting(optional(values.authorization()), null, {
      variable: 'UPSTREAM_AUTHORIZATION',
      isCommon: true,
      isSecret: true,
      help: '`Basic …` or `Bearer …`; fetches the description that decides the types of all callers',
      defaultText: "none: anonymous. With the sandbox: its administrator's",
    }),
    languageHeader: setting(values.languageHeaderName().default(LANGUAGE_HEADER), null, {
      help: 'header in which the API expects the language of the client',
    }),
    connections: setting(values.integer(1).default(64), null, {
      help: 'connections for calls of the API; long polls and the verification of credentials have others',
    }),
    timeout: setting(values.integer(1).default(30_000), null, {
      help: 'longest time of a read, to the last byte of its response, in milliseconds; writes have twice the time',
    }),
    ca: setting(optional(values.pemFile()), null, {
      help: 'PEM file with the authorities trusted for the API',
      defaultText: "Node's",
    }),
    certificate: setting(optional(values.pemFile()), null, {
      help: 'PEM file with the certificate that Optiongraph shows the API',
    }),
    key: setting(optional(values.pemFile()), null, { help: 'PEM file with the key of that certificate' }),
    socket: setting(optional(values.text()), null, {
      help: 'Unix socket at which the API listens; the address still gives the path and the `Host` header',
    }),
  },
  'Management API',
);

const proxy = group(
  {
    https: setting(optional(values.proxyAddress()), null, {
      variable: 'HTTPS_PROXY',
      isSecret: true,
      help: 'address of the proxy to https services',
      defaultText: 'that for http',
    }),
    http: setting(optional(values.proxyAddress()), null, {
      variable: 'HTTP_PROXY',
      isSecret: true,
      help: 'address of the proxy to http services',
    }),
    except: setting(optional(values.text()), null, {
      variable: 'NO_PROXY',
      help: 'hosts, with their subdomains, that need no proxy; `*` for all',
    }),
  },
  'Proxy to other services',
);

const trustedDocuments = group(
  {
    documents: setting(optional(values.documentsFile()), null, {
      help: 'JSON file with documents that clients may name by id: a map, or a manifest of Apollo',
    }),
    mode: setting(values.choice('allow', 'enforce').default('enforce'), null, {
      help: '`enforce`: no other documents, no introspection and no explorer. `allow`: other documents, too',
    }),
  },
  'Trusted documents',
);

const oauth = group(
  {
    clientId: setting(optional(values.text()), null, {
      variable: 'OAUTH_CLIENT_ID',
      help: "OAuth 2.0 client id with which browsers sign in at the API's provider",
    }),
    clientSecret: setting(optional(values.secret()), null, {
      variable: 'OAUTH_CLIENT_SECRET',
      isSecret: true,
      help: "the client's secret; required with the id",
    }),
    scope: setting(optional(values.scope()), null, {
      variable: 'OAUTH_SCOPE',
      help: 'scope that browsers ask the provider for; words separated by one space',
      defaultText: 'described default of the token method, else none',
    }),
    sessionSecret: setting(optional(values.secrets(32)), null, {
      variable: 'SESSION_SECRET',
      isSecret: true,
      help: 'encrypts session cookies and what replicas share, with 32 characters or more; of several, the first encrypts and all decrypt',
      defaultText: 'a random one for the process',
    }),
  },
  'Sign-in of browsers',
);

const redis = group(
  {
    address: setting(optional(values.redisAddress()), '--redis URL', {
      variable: 'REDIS_URL',
      isSecret: true,
      help: 'address of the Redis through which replicas share: `redis://host:port/database`, `rediss:` or `unix:///file`; requires `SESSION_SECRET`. One with a password belongs in the variable',
      defaultText: 'none: each process is on its own',
    }),
    ca: setting(optional(values.pemFile()), null, {
      help: 'PEM file with the authorities trusted for Redis',
      defaultText: "Node's",
    }),
    prefix: setting(values.text().default('optiongraph'), null, {
      help: 'beginning of all keys and channels; different for deployments that share a Redis',
    }),
  },
  'Replicas',
);

const snippets = group(
  {
    url: setting(
      optional(values.address('https://paste.example.org/', 'use SNIPPETS_API_KEY for its key')),
      null,
      {
        variable: 'SNIPPETS_URL',
        help: 'address of a snippet service',
        defaultText: "the sandbox's, else none",
      },
    ),
    apiKey: setting(optional(values.secret()), null, {
      variable: 'SNIPPETS_API_KEY',
      isSecret: true,
      help: 'key for all callers who send none in `X-Snippets-Api-Key`; requires the address',
    }),
  },
  'Snippet service',
);

const log = group(
  {
    level: setting(values.choice(...LOG_LEVELS).default('info'), '--log-level LEVEL', {
      help: 'the least important lines to write: `info`, `warn`, `error`, or `off` for none',
    }),
    slowOperation: setting(values.integer(1).default(5_000), null, {
      help: 'queries and mutations that take so long are logged as warnings with their calls; in milliseconds',
    }),
  },
  'Log',
);

const audit = group(
  {
    file: setting(optional(values.text()), null, {
      help: 'file that gets lines about each write; while it cannot be written, writes are refused',
      defaultText: 'none: writes are not recorded',
    }),
  },
  'Audit',
);

const metrics = group(
  {
    port: setting(optional(values.integer(0, 65_535)), null, {
      help: 'TCP port of `/metrics`, open to everyone who reaches it',
      defaultText: 'none: metrics are not served',
    }),
    host: setting(values.text().default('127.0.0.1'), null, { help: 'address for `metrics.port`' }),
  },
  'Metrics',
);

type LimitSettings = {
  [Name in keyof typeof LIMITS as (typeof LIMITS)[Name] extends Limit ? Name : never]: z.ZodDefault<z.ZodInt>;
};

const defined = Object.entries<Limit | number>(LIMITS).flatMap(([name, limit]) => {
  if (typeof limit === 'number') return [];
  const help = name.endsWith('Time') ? `${limit.help}; in milliseconds` : limit.help;
  return [[name, setting(values.integer(limit.least).default(limit.value), null, { help })]];
});

/** The groups in the order of the configuration file. Each limit has the name that it has in the option `limits` of the library. */
export const groups = {
  upstream,
  proxy,
  trustedDocuments,
  oauth,
  redis,
  snippets,
  log,
  audit,
  metrics,
  limits: group(Object.fromEntries(defined) as LimitSettings, 'Limits'),
};
