// The settings of `optiongraph sandbox`.
import * as z from 'zod';
import { host, port, trustedProxies } from '../../config/listen-settings.ts';
import { optional, setting } from '../../config/setting.ts';
import { choice, integer, list, refusal, text, toggle } from '../../config/values.ts';

const failure = text().regex(/^[\w.]+#\w+=\w+(,\w+)*$/, {
  error: refusal('must be like book#index=author,shelf'),
});

/** Associations whose inclusion fails, by action. */
const failingIncludes = list(failure)
  .transform((given): Readonly<Record<string, readonly string[]>> => {
    const pairs = given.map((one) => one.split('='));
    return Object.fromEntries(pairs.map(([action, names = '']) => [action, names.split(',')]));
  })
  .prefault([]);

const redirectUri = text().refine((uri) => /^https?:\/\/[^#]+$/.test(uri) && URL.canParse(uri), {
  error: refusal('must be like http://127.0.0.1/back, without a fragment'),
});

/** All settings of `sandbox`. The habits of its API have flags only. */
export const sandboxSettings = z.strictObject({
  port: port(0),
  host,
  trustedProxies,
  anonymousDescription: setting(choice('everything', 'usable').default('everything'), {
    flag: '--anonymous-description WHAT',
    variable: null,
    help: 'what anonymous callers are described: `everything`, as on production servers, or `usable` for what they may use',
  }),
  failingIncludes: setting(failingIncludes, {
    flag: '--failing-includes ACTION=NAMES',
    variable: null,
    isRepeated: true,
    help: 'the action answers 500 when one of these associations is to be included, such as `book#index=author,shelf`; can be repeated',
  }),
  liveLog: setting(optional(integer(1, 999_999)), {
    flag: '--live-log N',
    variable: null,
    help: 'the property history of dataset 1 has 2,200 rows, newest first by time with ties, and gains a row at its head after every Nth list of it',
  }),
  redirectUris: setting(list(redirectUri).default([]), {
    flag: '--redirect-uri URI',
    variable: null,
    isRepeated: true,
    help: 'the OAuth 2.0 client `sandbox-client` may send browsers here too, such as `http://127.0.0.1/auth/callback` of a server that runs beside the sandbox; can be repeated',
  }),
  cancelBlocks: setting(toggle(), {
    flag: '--cancel-blocks',
    variable: null,
    help: 'cancelling an action answers with an action state of its own',
  }),
  snippetsNeedKey: setting(toggle(), {
    flag: '--snippets-need-key',
    variable: null,
    help: 'the snippet service refuses commands without an API key',
  }),
});

/** The settings of `sandbox`, valid and complete. */
export type SandboxConfig = z.output<typeof sandboxSettings>;
