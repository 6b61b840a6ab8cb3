// The settings of how the management API is reached and read, which commands share.
import { group, optional, setting } from './setting.ts';
import { address, integer, overridesFile, pemFile, proxyAddress, text } from './values.ts';

/** The address of the management API. */
export const upstreamUrl = setting(
  optional(
    address(
      'https://api.example.org/',
      'use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller',
    ),
  ),
  {
    flag: '--upstream URL',
    variable: 'UPSTREAM_URL',
    help: 'http or https address of the management API, with the path that it is mounted at, without credentials; required unless `--sandbox` is given',
  },
);

/** Connections to the management API. */
export const transport = group({
  connections: setting(integer(1).default(64), {
    flag: '--upstream-connections N',
    help: 'connections to the management API, without those for long polls',
  }),
  timeout: setting(integer(1).default(30_000), {
    flag: '--upstream-timeout MS',
    help: 'longest time of a read, from its request to the last byte of its response, in milliseconds; writes have twice the time',
  }),
  ca: setting(optional(pemFile()), {
    flag: '--upstream-ca FILE',
    help: 'PEM file with the authorities whose certificates of the management API are trusted',
    defaultText: "Node's",
  }),
  certificate: setting(optional(pemFile()), {
    flag: '--upstream-certificate FILE',
    help: 'PEM file with the certificate that Optiongraph shows the management API',
  }),
  key: setting(optional(pemFile()), {
    flag: '--upstream-key FILE',
    help: 'PEM file with the key of that certificate',
  }),
  socket: setting(optional(text()), {
    flag: '--upstream-socket FILE',
    help: 'Unix socket at which the management API listens; the address still gives the path and the `Host` header',
  }),
});

export const proxy = group(
  {
    https: setting(optional(proxyAddress()), {
      variable: 'HTTPS_PROXY',
      isSecret: true,
      help: 'address of the proxy to https services: the management API, its OAuth 2.0 provider and the snippet service',
      defaultText: 'that for http',
    }),
    http: setting(optional(proxyAddress()), {
      variable: 'HTTP_PROXY',
      isSecret: true,
      help: 'address of the proxy to http services',
    }),
    except: setting(optional(text()), {
      variable: 'NO_PROXY',
      help: 'host names, with their subdomains, that are reached without a proxy; `*` for all',
    }),
  },
  'Proxy to other services',
);

export const overrides = setting(optional(overridesFile()), {
  flag: '--overrides FILE',
  variable: 'OVERRIDES',
  help: 'JSON file with facts that the description lacks',
  defaultText: 'the built-in facts',
});
