// Reads the configuration from the command line and the environment.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { type Overrides, parseOverrides } from '../schema/model/overrides.ts';
import { type Credential, readAuthorization } from '../upstream/http/authentication.ts';
import { ConfigError } from './config-error.ts';
import { type OAuthConfig, readOAuth } from './oauth.ts';
import { readAddress } from './read-address.ts';

/** The configuration from the command line and the environment. Frozen. */
export type Config =
  | {
      readonly command: 'serve';
      readonly host: string;
      readonly port: number;
      /** Null for the embedded sandbox. */
      readonly upstream: URL | null;
      /** Null for the upstream's default. The first is served at /graphql, each other at /graphql/<version>. */
      readonly versions: readonly [string | null, ...string[]];
      readonly descriptionCredential: Credential | null;
      readonly schemaMode: 'caller' | 'fixed';
      readonly basicFromBrowsers: boolean;
      /** Null for the built-in overrides. */
      readonly overrides: Overrides | null;
      /** Null when browsers cannot sign in with OAuth 2.0. */
      readonly oauth: OAuthConfig | null;
      /** Folder that stores the last good descriptions; null for none. */
      readonly cacheDir: string | null;
      /** Default: this machine. */
      readonly trustedProxies?: readonly string[];
      /** Null for none; the embedded sandbox has its own. */
      readonly snippets: { readonly url: URL; readonly apiKey: string | null } | null;
    }
  | {
      readonly command: 'sandbox';
      readonly host: string;
      readonly port: number;
      readonly anonymousDescription: 'everything' | 'usable';
      readonly cancelBlocks: boolean;
      /** Associations whose inclusion fails, by action scope. */
      readonly failingIncludes: Readonly<Record<string, readonly string[]>>;
      /** A row is added to the log after every so many lists of it; null: there is no such log. */
      readonly liveLog: number | null;
      /** Where the OAuth 2.0 client may send browsers back to, beside its own redirect URIs. */
      readonly redirectUris: readonly string[];
      readonly snippetsNeedKey: boolean;
      /** Default: this machine. */
      readonly trustedProxies?: readonly string[];
    }
  | { readonly command: 'help' | 'version' };

const SERVE_OPTIONS = {
  upstream: { type: 'string' },
  'api-version': { type: 'string', multiple: true },
  'schema-mode': { type: 'string' },
  'basic-from-browsers': { type: 'boolean' },
  overrides: { type: 'string' },
  'snippets-url': { type: 'string' },
  'cache-dir': { type: 'string' },
  'oauth-client-id': { type: 'string' },
  'oauth-scope': { type: 'string' },
  'public-url': { type: 'string' },
  origins: { type: 'string' },
} as const;

const SANDBOX_OPTIONS = {
  'anonymous-description': { type: 'string' },
  'cancel-blocks': { type: 'boolean' },
  'failing-includes': { type: 'string', multiple: true },
  'live-log': { type: 'string' },
  'redirect-uri': { type: 'string', multiple: true },
  'snippets-need-key': { type: 'boolean' },
} as const;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  ...SERVE_OPTIONS,
  ...SANDBOX_OPTIONS,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Reads the arguments, and the environment for settings that they lack. @throws ConfigError when a setting is invalid. */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command = 'serve', ...rest] = positionals;
  // Checked first, because other messages repeat the argument, and an address may contain a credential.
  if (positionals.some(isAddress))
    throw new ConfigError('Give the address of the upstream as --upstream URL.');
  if (rest.length > 0) throw new ConfigError(`Unexpected argument ${JSON.stringify(rest[0])}.`);
  const host = values.host ?? (env['HOST'] || '127.0.0.1');
  if (command === 'sandbox') {
    rejectOptions(values, SERVE_OPTIONS, 'is an option of serve, not of sandbox');
    const port = readPort(values.port ?? env['PORT'], 0);
    return Object.freeze({
      command,
      host,
      port,
      anonymousDescription: readAnonymousDescription(values['anonymous-description']),
      cancelBlocks: values['cancel-blocks'] ?? false,
      failingIncludes: readFailingIncludes(values['failing-includes']),
      liveLog: readLiveLog(values['live-log']),
      redirectUris: readRedirectUris(values['redirect-uri']),
      snippetsNeedKey: values['snippets-need-key'] ?? false,
      ...readProxies(env['TRUSTED_PROXIES']),
    });
  }
  if (command !== 'serve')
    throw new ConfigError(`Unknown command ${JSON.stringify(command)}; try serve, sandbox or --help.`);
  rejectOptions(values, SANDBOX_OPTIONS, 'is an option of sandbox, not of serve');
  return Object.freeze({
    command,
    host,
    port: readPort(values.port ?? env['PORT'], 4000),
    upstream: readUpstream(values.upstream ?? env['UPSTREAM_URL']),
    versions: readVersions(values['api-version'] ?? env['API_VERSION']?.split(',')),
    descriptionCredential: readCredential(env['UPSTREAM_AUTHORIZATION']),
    schemaMode: readSchemaMode(values['schema-mode'] ?? env['SCHEMA_MODE']),
    basicFromBrowsers:
      values['basic-from-browsers'] ?? /^(1|true|yes)$/i.test(env['BASIC_FROM_BROWSERS'] ?? ''),
    overrides: readOverrides(values.overrides ?? env['OVERRIDES']),
    snippets: readSnippets(values['snippets-url'] ?? env['SNIPPETS_URL'], env['SNIPPETS_API_KEY']),
    cacheDir: values['cache-dir'] ?? (env['CACHE_DIR'] || null),
    oauth: readOAuth(
      values['oauth-client-id'] ?? env['OAUTH_CLIENT_ID'],
      (values['oauth-scope'] ?? env['OAUTH_SCOPE']) || null,
      values['public-url'] ?? env['PUBLIC_URL'],
      values.origins ?? env['ORIGINS'],
      env,
    ),
    ...readProxies(env['TRUSTED_PROXIES']),
  });
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}

function rejectOptions(given: object, rejected: object, why: string): void {
  for (const option of Object.keys(rejected))
    if (option in given) throw new ConfigError(`--${option} ${why}.`);
}

const isAddress = (argument: string): boolean => argument.includes('://');

function readPort(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigError(`The port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

function readProxies(text: string | undefined): { readonly trustedProxies?: readonly string[] } {
  if (text === undefined || text === '') return {};
  const trustedProxies = text === 'none' ? [] : text.split(',').map((proxy) => proxy.trim());
  for (const proxy of trustedProxies) {
    const [address = '', prefix = '0', ...rest] = proxy.split('/');
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)
      throw new ConfigError(`TRUSTED_PROXIES must be addresses or networks, not ${JSON.stringify(proxy)}.`);
  }
  return { trustedProxies };
}

const readUpstream = (text: string | undefined): URL | null =>
  readAddress(text, 'upstream', 'https://api.example.org/', 'use UPSTREAM_AUTHORIZATION for its description');

function readSnippets(
  text: string | undefined,
  apiKey: string | undefined,
): { readonly url: URL; readonly apiKey: string | null } | null {
  const hint = 'use SNIPPETS_API_KEY for its key';
  const url = readAddress(text, 'snippet service', 'https://paste.example.org/', hint);
  if (url !== null) return Object.freeze({ url, apiKey: apiKey || null });
  if (apiKey) throw new ConfigError('SNIPPETS_API_KEY needs --snippets-url, the address of its service.');
  return null;
}

function readVersions(given: readonly string[] = []): readonly [string | null, ...string[]] {
  const [first = null, ...others] = given
    .map((version) => version.trim())
    .filter((version) => version !== '');
  const duplicate = others.find((version, index) => version === first || others.indexOf(version) !== index);
  if (duplicate !== undefined)
    throw new ConfigError(`The API version ${JSON.stringify(duplicate)} is given twice.`);
  return [first, ...others];
}

function readSchemaMode(text: string | undefined): 'caller' | 'fixed' {
  if (text === undefined || text === '') return 'caller';
  if (text === 'caller' || text === 'fixed') return text;
  throw new ConfigError(`The schema mode must be "caller" or "fixed", not ${JSON.stringify(text)}.`);
}

function readAnonymousDescription(text = 'everything'): 'everything' | 'usable' {
  if (text === 'everything' || text === 'usable') return text;
  throw new ConfigError(
    `The anonymous description must be "everything" or "usable", not ${JSON.stringify(text)}.`,
  );
}

function readFailingIncludes(given: readonly string[] = []): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, scope, names] = /^([\w.]+#\w+)=(\w+(?:,\w+)*)$/.exec(text) ?? [];
      if (scope !== undefined && names !== undefined) return [scope, names.split(',')] as const;
      throw new ConfigError(
        `Failing includes must be like book#index=author,shelf, not ${JSON.stringify(text)}.`,
      );
    }),
  );
}

function readLiveLog(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ConfigError(
    `The live log gains a row after so many lists, from 1 to 999999, not ${JSON.stringify(text)}.`,
  );
}

function readRedirectUris(given: readonly string[] = []): readonly string[] {
  const refused = given.find((uri) => !/^https?:\/\/[^#]+$/.test(uri) || !URL.canParse(uri));
  if (refused === undefined) return given;
  throw new ConfigError(
    `A redirect URI must be like http://127.0.0.1/back, without a fragment, not ${JSON.stringify(refused)}.`,
  );
}

function readCredential(text: string | undefined): Credential | null {
  if (text === undefined || text === '') return null;
  try {
    return readAuthorization(text);
  } catch {
    throw new ConfigError('UPSTREAM_AUTHORIZATION must be an Authorization value: "Basic …" or "Bearer …".');
  }
}

function readOverrides(file: string | undefined): Overrides | null {
  if (file === undefined || file === '') return null;
  try {
    return parseOverrides(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ConfigError(
      `The overrides in ${file} cannot be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}
