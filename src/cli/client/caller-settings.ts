// The settings of commands that use a management API as one caller: which API, and with which credential.
import { z } from 'zod';
import { group, optional, setting } from '../../config/setting.ts';
import { overrides, proxy, transport, upstreamUrl } from '../../config/upstream-settings.ts';
import { authorization, choice, secret, text, toggle } from '../../config/values.ts';

const upstream = group(
  {
    url: upstreamUrl,
    version: setting(optional(text()), {
      flag: '--api-version V',
      variable: 'API_VERSION',
      help: 'version of the API',
      defaultText: "the API's default version",
    }),
    transport,
  },
  'Management API',
);

/** All settings of the commands for callers. */
export const callerSettings = z.strictObject({
  upstream,
  sandbox: setting(toggle(), {
    flag: '--sandbox',
    variable: null,
    help: 'uses an embedded sandbox with made-up data, which ends with the command, in place of a management API',
  }),
  as: setting(choice('user', 'admin', 'anonymous').default('user'), {
    flag: '--as WHO',
    variable: null,
    help: 'the caller of the sandbox: `user`, `admin` or `anonymous`',
  }),
  authorization: setting(optional(authorization()), {
    variable: 'OPTIONGRAPH_AUTHORIZATION',
    isSecret: true,
    help: "the caller's credential, `Basic …` or `Bearer …`",
    defaultText: 'none: anonymous',
  }),
  token: setting(optional(secret()), {
    variable: 'OPTIONGRAPH_TOKEN',
    isSecret: true,
    help: "the caller's token, which is sent in the header that the API describes",
    defaultText: 'none: anonymous',
  }),
  overrides,
  proxy,
});

/** The settings of commands for callers, valid and complete. */
export type CallerConfig = z.output<typeof callerSettings>;

/** What can be wrong with valid settings that depend on each other, with whether it is. */
export function conflictsOfCaller(config: CallerConfig): Readonly<Record<string, boolean>> {
  const { upstream: api, sandbox, authorization: basic, token } = config;
  return {
    'Give the address of the management API as --upstream URL or UPSTREAM_URL, or try the command on made-up data with --sandbox.':
      api.url === null && !sandbox,
    'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.':
      api.url !== null && sandbox,
    'Both OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN are given; leave one out.':
      basic !== null && token !== null,
    'The sandbox has callers of its own; choose one with --as, and leave out OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN.':
      sandbox && (basic !== null || token !== null),
  };
}
