// The settings of `optiongraph sandbox`.
import * as z from 'zod';
import { host, port, trustedProxies } from '../../config/listen-settings.ts';
import { optional, setting } from '../../config/setting.ts';
import { choice, integer, list, refusal, text, toggle } from '../../config/values.ts';

/** Texts such as `key=one,two`, as a list for each key. */
const listsByKey = <T>(pattern: RegExp, example: string, read: (value: string) => T) =>
  list(text().regex(pattern, { error: refusal(`must be like ${example}`) }))
    .transform((given): Readonly<Record<string, readonly T[]>> => {
      const pairs = given.map((one) => one.split('='));
      return Object.fromEntries(pairs.map(([key, values = '']) => [key, values.split(',').map(read)]));
    })
    .prefault([]);

const failingIncludes = listsByKey(/^[\w.]+#\w+=\w+(,\w+)*$/, 'book#index=author,shelf', String);
const unsentOutputs = listsByKey(/^[\w.]+=\w+(,\w+)*$/, 'book=title,author', String);
const brokenRows = listsByKey(/^[\w.]+#\w+=\d+(,\d+)*$/, 'book#index=17,300', Number);

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
  unsentOutputs: setting(unsentOutputs, {
    flag: '--unsent-outputs RESOURCE=NAMES',
    variable: null,
    isRepeated: true,
    help: 'these outputs of the resource are described and never sent, such as `book=title,author`; can be repeated',
  }),
  brokenRows: setting(brokenRows, {
    flag: '--broken-rows ACTION=IDS',
    variable: null,
    isRepeated: true,
    help: 'the list answers 404 when its page contains one of these ids, such as `book#index=17,300`; can be repeated',
  }),
  clampedLimit: setting(optional(integer(1, 1_000)), {
    flag: '--clamped-limit N',
    variable: null,
    help: 'lists with a limit return at most N rows, also for a higher limit or none',
  }),
  wideCount: setting(toggle(), {
    flag: '--wide-count',
    variable: null,
    help: 'counts include rows that the caller does not see',
  }),
  logs: setting(optional(integer(1, 100_000)), {
    flag: '--logs N',
    variable: null,
    defaultText: '700 with `--unstable-ties`, `--shuffled-times` or `--changing-rows`, else none',
    help: 'adds long lists by time with many equal times: N of `user_session`, and a third as many of `oom_report` and `ip_address_assignment`',
  }),
  unstableTies: setting(toggle(), {
    flag: '--unstable-ties',
    variable: null,
    help: 'rows that tie in the order of a list come in an order that depends on the limit and on chance; histories are sorted by time and DNS records by name',
  }),
  shuffledTimes: setting(toggle(), {
    flag: '--shuffled-times',
    variable: null,
    help: 'the times of logs and property histories do not follow their ids',
  }),
  changingRows: setting(toggle(), {
    flag: '--changing-rows',
    variable: null,
    help: 'logs and property histories gain and lose rows between any two calls',
  }),
  habitSeed: setting(integer(0).default(1), {
    flag: '--habit-seed N',
    variable: null,
    help: 'the seed of what `--unstable-ties`, `--shuffled-times` and `--changing-rows` leave to chance',
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
