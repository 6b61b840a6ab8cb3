// The settings of how the management API is reached, read and spared.
import type * as z from 'zod';
import { LANGUAGE_HEADER } from '../upstream/http/languages.ts';
import { group, optional, setting } from './setting.ts';
import {
  address,
  integer,
  languageHeaderName,
  overridesFile,
  pemFile,
  proxyAddress,
  text,
} from './values.ts';

/** The address of the management API. @param needed When it is required. */
export const upstreamUrl = (needed: string) =>
  setting(
    optional(
      address(
        'https://api.example.org/',
        'use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller',
      ),
    ),
    '--upstream URL',
    {
      variable: 'UPSTREAM_URL',
      isCommon: true,
      help: `http or https address of the management API, with the path that it is mounted at; ${needed}`,
    },
  );

/** The header of the language. */
export const languageHeader = setting(languageHeaderName().default(LANGUAGE_HEADER), null, {
  help: 'header in which the API expects the language of the client',
});

/** Connections to the management API. */
export const transport = {
  connections: setting(integer(1).default(64), null, {
    help: 'connections for calls of the API; long polls and the verification of credentials have others',
  }),
  timeout: setting(integer(1).default(30_000), null, {
    help: 'longest time of a read, to the last byte of its response, in milliseconds; writes have twice the time',
  }),
  ca: setting(optional(pemFile()), null, {
    help: 'PEM file with the authorities trusted for the API',
    defaultText: "Node's",
  }),
  certificate: setting(optional(pemFile()), null, {
    help: 'PEM file with the certificate that Optiongraph shows the API',
  }),
  key: setting(optional(pemFile()), null, {
    help: 'PEM file with the key of that certificate',
  }),
  socket: setting(optional(text()), null, {
    help: 'Unix socket at which the API listens; the address still gives the path and the `Host` header',
  }),
};

type Transport = { readonly [Name in keyof typeof transport]: z.output<(typeof transport)[Name]> };

/** Those of all settings of an upstream. */
export const transportOf = ({
  connections,
  timeout,
  ca,
  certificate,
  key,
  socket,
}: Transport): Transport => ({
  connections,
  timeout,
  ca,
  certificate,
  key,
  socket,
});

export const proxy = group(
  {
    https: setting(optional(proxyAddress()), null, {
      variable: 'HTTPS_PROXY',
      isSecret: true,
      help: 'address of the proxy to https services: the API, its OAuth 2.0 provider, the snippet service',
      defaultText: 'that for http',
    }),
    http: setting(optional(proxyAddress()), null, {
      variable: 'HTTP_PROXY',
      isSecret: true,
      help: 'address of the proxy to http services',
    }),
    except: setting(optional(text()), null, {
      variable: 'NO_PROXY',
      help: 'hosts, with their subdomains, that need no proxy; `*` for all',
    }),
  },
  'Proxy to other services',
);

export const overrides = setting(optional(overridesFile()), '--overrides FILE', {
  isCommon: true,
  help: 'JSON file with facts that the description lacks',
  defaultText: 'the built-in facts',
});
