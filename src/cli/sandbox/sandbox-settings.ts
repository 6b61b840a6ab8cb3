// The settings of `optiongraph sandbox`.
import * as z from 'zod';
import { host, port } from '../../config/serve-settings.ts';
import { optional, type SettingTraits, setting } from '../../config/setting.ts';
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

/** Defines a setting that has a flag and no variable. */
const habit = <T extends z.ZodType>(type: T, flag: string, traits: Omit<SettingTraits, 'variable'>): T =>
  setting(type, flag, { ...traits, variable: null });

/** All settings of `sandbox`. The habits of its API have flags only. */
export const sandboxSettings = z.strictObject({
  port: port(0),
  host,
  behindProxy: habit(toggle(), '--behind-proxy', {
    help: 'simulates a reverse proxy that sets `X-Real-IP` to the address that connects; clients that forward calls state `Client-IP`',
  }),
  anonymousDescription: habit(
    choice('everything', 'usable').default('everything'),
    '--anonymous-description WHAT',
    {
      help: 'what anonymous callers are described: `everything`, as on production servers, or `usable` for what they may use',
    },
  ),
  failingIncludes: habit(failingIncludes, '--failing-includes ACTION=NAMES', {
    isRepeated: true,
    help: 'the action answers 500 when it is to include one of these associations, such as `book#index=author,shelf`; repeatable',
  }),
  unsentOutputs: habit(unsentOutputs, '--unsent-outputs RESOURCE=NAMES', {
    isRepeated: true,
    help: 'these outputs of the resource are described and never sent, such as `book=title,author`; repeatable',
  }),
  brokenRows: habit(brokenRows, '--broken-rows ACTION=IDS', {
    isRepeated: true,
    help: 'the list answers 404 when its page contains one of these ids, such as `book#index=17,300`; repeatable',
  }),
  clampedLimit: habit(optional(integer(1, 1_000)), '--clamped-limit N', {
    help: 'lists with a limit return at most N rows, also for a higher limit or none',
  }),
  wideCount: habit(toggle(), '--wide-count', { help: 'counts include rows that the caller does not see' }),
  logs: habit(optional(integer(1, 100_000)), '--logs N', {
    defaultText: '700 with `--unstable-ties`, `--shuffled-times` or `--changing-rows`, else none',
    help: 'adds long lists by time with many equal times: N of `user_session`, and a third as many of `oom_report` and `ip_address_assignment`',
  }),
  unstableTies: habit(toggle(), '--unstable-ties', {
    help: 'rows that tie come in an order that depends on the limit and on chance; histories are sorted by time and DNS records by name',
  }),
  shuffledTimes: habit(toggle(), '--shuffled-times', {
    help: 'the times of logs and property histories do not follow their ids',
  }),
  changingRows: habit(toggle(), '--changing-rows', {
    help: 'logs and property histories gain and lose rows between any two calls',
  }),
  habitSeed: habit(integer(0).default(1), '--habit-seed N', {
    help: 'the seed of what `--unstable-ties`, `--shuffled-times` and `--changing-rows` leave to chance',
  }),
  liveLog: habit(optional(integer(1, 999_999)), '--live-log N', {
    help: 'the property history of dataset 1 has 2,200 rows, newest first with ties, and gains one after every Nth list of it',
  }),
  redirectUris: habit(list(redirectUri).default([]), '--redirect-uri URI', {
    isRepeated: true,
    help: 'the OAuth 2.0 client `sandbox-client` may send browsers here too, such as `http://127.0.0.1/auth/callback`; repeatable',
  }),
  cancelBlocks: habit(toggle(), '--cancel-blocks', {
    help: 'cancelling an action answers with an action state of its own',
  }),
  snippetsNeedKey: habit(toggle(), '--snippets-need-key', {
    help: 'the snippet service refuses commands without an API key',
  }),
});

/** The settings of `sandbox`, valid and complete. */
export type SandboxConfig = z.output<typeof sandboxSettings>;
