// Makes the connections of a command to other servers than the management API.
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Connection } from '../read-settings.ts';

/** Makes connections through the proxies of the settings, with the trusted authorities. */
export function createDispatcher({ ca, proxy }: Connection): Dispatcher {
  const tls = ca === null ? {} : { ca };
  const { http, https, except } = proxy;
  // Empty texts, because undici would read variables where there are none.
  return new EnvHttpProxyAgent({
    connect: tls,
    requestTls: tls,
    httpProxy: http ?? '',
    httpsProxy: https ?? http ?? '',
    noProxy: except ?? '',
  });
}
