// The settings of both commands: where to listen, and behind which proxies.
import { setting } from './setting.ts';
import { integer, list, network, text } from './values.ts';

/** Port to listen at. */
export const port = (fallback: number) =>
  setting(integer(0, 65_535).default(fallback), {
    flag: '--port N',
    variable: 'PORT',
    help: 'TCP port; 0 is any free one',
    defaultText: `${fallback}`,
  });

/** Address to listen at. */
export const host = setting(text().default('127.0.0.1'), {
  flag: '--host NAME',
  variable: 'HOST',
  help: 'address to listen at',
});

/** Proxies that may state the address of a client. */
export const trustedProxies = setting(list(network()).default(['127.0.0.0/8', '::1']), {
  flag: '--trusted-proxies A,B',
  variable: 'TRUSTED_PROXIES',
  help: 'addresses and networks whose `X-Forwarded-For` is believed; `none` in a flag or variable for none',
  defaultText: 'this machine',
});
