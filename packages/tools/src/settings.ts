// The flags and variables of commands that use a management API as one caller.
import { type Command, Option } from 'commander';
import { completions, formatItems, isAddress, MISPLACED_ADDRESS, pathOf } from './command-line/commands.ts';
import { usageError } from './command-line/exit-codes.ts';
import { listProfiles } from './login/profile.ts';

/** A setting that a flag gives, or a variable. */
export interface Setting {
  readonly flag: string;
  /** Null for a setting that only its flag gives. */
  readonly variable: string | null;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Lists likely values, for completion. */
  readonly likely?: () => readonly string[];
}

/** The callers of the sandbox. */
export const WHO = ['user', 'admin', 'anonymous'] as const;

/** All settings, by the names that commander gives their flags. */
export const SETTINGS = {
  upstream: {
    flag: '--upstream <URL>',
    variable: 'UPSTREAM_URL',
    help: 'http or https address of the management API, with the path that it is mounted at',
  },
  apiVersion: {
    flag: '--api-version <V>',
    variable: 'OPTIONGRAPH_API_VERSION',
    help: "version of the API (default: the API's default version)",
  },
  profile: {
    flag: '--profile <NAME>',
    variable: 'OPTIONGRAPH_PROFILE',
    help: 'the session that login has stored under this name (default: default, if it is for the same API)',
    likely: listProfiles,
  },
  sandbox: {
    flag: '--sandbox',
    variable: null,
    help: 'uses an embedded sandbox, which ends with the command, in place of an API',
  },
  as: { flag: '--as <WHO>', variable: null, help: 'the caller of the sandbox (default: user)', choices: WHO },
  language: {
    flag: '--language <TAG>',
    variable: 'OPTIONGRAPH_LANGUAGE',
    help: "language of the API's texts and messages, where the API has it (default: en)",
  },
  overrides: {
    flag: '--overrides <FILE>',
    variable: 'OPTIONGRAPH_OVERRIDES',
    help: 'JSON file with facts that the description lacks (default: the built-in facts)',
  },
  upstreamCa: {
    flag: '--upstream-ca <FILE>',
    variable: 'OPTIONGRAPH_UPSTREAM_CA',
    help: "PEM file with the authorities trusted for the API (default: Node's)",
  },
  user: { flag: '--user <NAME>', variable: null, help: 'the user who signs in (default: it is asked)' },
  oauthClientId: {
    flag: '--oauth-client-id <ID>',
    variable: 'OAUTH_CLIENT_ID',
    help: "signs in at the API's OAuth 2.0 provider, with this client id",
  },
  oauthScope: {
    flag: '--oauth-scope <SCOPE>',
    variable: 'OAUTH_SCOPE',
    help: 'scope to ask the provider for (default: the described one of the token method)',
  },
  redirectUri: {
    flag: '--redirect-uri <URI>',
    variable: 'OPTIONGRAPH_REDIRECT_URI',
    help: 'address on this machine to which the provider returns; without a port, any free one (default: http://127.0.0.1/callback)',
  },
} as const satisfies Readonly<Record<string, Setting>>;
export type Name = keyof typeof SETTINGS;

/** Variables without a flag, because other users of the machine can see flags. With `_FILE`, they name a file that holds the value. */
const SECRETS = {
  OPTIONGRAPH_AUTHORIZATION: "the caller's credential, Basic … or Bearer …",
  OPTIONGRAPH_TOKEN: "the caller's token, which is sent in the header that the API describes",
  UPSTREAM_AUTHORIZATION:
    "the operator's credential, Basic … or Bearer …; fetches the base description, and nothing else",
  OAUTH_CLIENT_SECRET: 'the secret of the OAuth 2.0 client (default: it is a public client)',
  HTTPS_PROXY: 'address of the proxy to https services (default: that for http)',
  HTTP_PROXY: 'address of the proxy to http services',
  NO_PROXY: 'hosts, with their subdomains, that need no proxy; * for all',
} as const;
export type Secret = keyof typeof SECRETS;

/** The names under which a variable is read. The first that is set counts. Variables of proxies may be in lower case, as curl writes them. */
export function namesOf(variable: string): readonly string[] {
  if (variable.startsWith('OPTIONGRAPH_')) return [variable];
  return [
    `OPTIONGRAPH_${variable}`,
    ...(variable.endsWith('_PROXY') ? [variable.toLowerCase()] : []),
    variable,
  ];
}

/** The variables that the commands read. */
export const TOOL_VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS).flatMap(({ variable }) => (variable === null ? [] : namesOf(variable))),
  ...Object.keys(SECRETS)
    .flatMap(namesOf)
    .flatMap((name) => [name, `${name}_FILE`]),
];

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;
/** The settings of each kind of command. */
const KINDS = {
  caller: {
    flags: ['upstream', 'apiVersion', 'profile', 'sandbox', 'as', 'language', 'overrides', 'upstreamCa'],
    secrets: ['OPTIONGRAPH_AUTHORIZATION', 'OPTIONGRAPH_TOKEN', 'UPSTREAM_AUTHORIZATION', ...PROXIES],
  },
  login: {
    flags: [
      'upstream',
      'apiVersion',
      'profile',
      'user',
      'oauthClientId',
      'oauthScope',
      'redirectUri',
      'upstreamCa',
    ],
    secrets: ['UPSTREAM_AUTHORIZATION', 'OAUTH_CLIENT_SECRET', ...PROXIES],
  },
  logout: { flags: ['profile', 'upstreamCa'], secrets: PROXIES },
} as const satisfies Readonly<
  Record<string, { readonly flags: readonly Name[]; readonly secrets: readonly Secret[] }>
>;

/** Leads to the help of a command. */
export const helpHint = (command: Command): string => `See ${pathOf(command)} --help.`;

/** Adds the settings of a kind of command to a command. */
export function addSettings(command: Command, kind: keyof typeof KINDS): void {
  for (const name of KINDS[kind].flags) {
    const { flag, variable, help, choices, likely }: Setting = SETTINGS[name];
    const option = new Option(flag, variable === null ? help : `${help} (${variable})`);
    if (choices !== undefined) option.choices(choices);
    if (likely !== undefined) completions.set(option, likely);
    command.addOption(option);
  }
  const secrets = KINDS[kind].secrets.map((name) => [name, SECRETS[name]] as const);
  command.addHelpText('after', () =>
    [
      '\nVariables (the same name with _FILE is for the name of a file that holds the value):',
      formatItems(command, secrets),
    ].join('\n'),
  );
  command.hook('preAction', () => {
    if (command.args.some(isAddress)) throw usageError(`${MISPLACED_ADDRESS}\n${helpHint(command)}`);
  });
}
