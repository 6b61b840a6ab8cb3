// The settings of `login` and `logout`.
import * as z from 'zod';
import { group, optional, setting } from '../../../../src/config/setting.ts';
import { proxy, transport } from '../../../../src/config/upstream-settings.ts';
import { loopbackAddress, scope, secret, text } from '../../../../src/config/values.ts';
import { callerUpstream, profile } from '../caller-settings.ts';

const oauth = group(
  {
    clientId: setting(optional(text()), '--oauth-client-id ID', {
      variable: 'OAUTH_CLIENT_ID',
      help: "signs in at the API's OAuth 2.0 provider, with this client id",
      defaultText: 'none: signs in by user name and password',
    }),
    clientSecret: setting(optional(secret()), null, {
      variable: 'OAUTH_CLIENT_SECRET',
      isSecret: true,
      help: "the client's secret",
      defaultText: 'none: a public client',
    }),
    scope: setting(optional(scope()), '--oauth-scope SCOPE', {
      variable: 'OAUTH_SCOPE',
      help: 'scope to ask the provider for; words separated by one space',
      defaultText: 'described default of the token method, else none',
    }),
    redirectUri: setting(loopbackAddress().prefault('http://127.0.0.1/callback'), '--redirect-uri URI', {
      help: 'address on this machine to which the provider returns, as the client is registered; without a port, any free one is used',
    }),
  },
  'OAuth 2.0',
);

/** All settings of `login`. */
export const loginSettings = z.strictObject({
  upstream: callerUpstream('required unless the profile has been used before'),
  profile,
  user: setting(optional(text()), '--user NAME', {
    variable: null,
    isCommon: true,
    help: 'the user who signs in',
    defaultText: 'none: it is asked',
  }),
  oauth,
  proxy,
});
/** The settings of `login`, valid and complete. */
export type LoginConfig = z.output<typeof loginSettings>;

/** All settings of `logout`. The profile knows the address of the API. */
export const logoutSettings = z.strictObject({
  profile,
  upstream: group(transport, 'Management API'),
  proxy,
});
/** The settings of `logout`, valid and complete. */
export type LogoutConfig = z.output<typeof logoutSettings>;
