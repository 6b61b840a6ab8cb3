// Reads the settings of commands from their flags and variables.
import { readFileSync } from 'node:fs';
import type { Command, OptionValues } from 'commander';
import { usageError } from './command-line/exit-codes.ts';
import { helpHint, type Name, namesOf, SETTINGS, type Secret, type Setting, type WHO } from './settings.ts';

/** The names of environment variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a server is reached. */
export type Connection = ReturnType<typeof readConnection>;

/** An API, as the settings name it. */
export type ApiSettings = ReturnType<typeof readApi>;

/** The settings of commands that use an API as one caller. */
export type CallerSettings = ReturnType<typeof readCaller>;

/** The settings of `login`. */
export type LoginSettings = ReturnType<typeof readLogin>;

/** The settings of `logout`. The profile knows the address of the API. */
export type LogoutSettings = ReturnType<typeof readLogout>;

/** Reads the settings of a caller. @throws CommandError that names everything that is wrong with them. */
export const readCaller = (command: Command, env: Environment) =>
  read(command, env, (reader) => {
    const { sandbox = false, as = 'user' } = command.opts();
    const settings = {
      ...readApi(reader),
      profile: readProfileName(reader),
      sandbox: sandbox === true,
      as: as as (typeof WHO)[number],
      /** The caller's `Authorization`. */
      authorization: reader.secret('OPTIONGRAPH_AUTHORIZATION', asAuthorization),
      token: reader.secret('OPTIONGRAPH_TOKEN', asWord),
      language: reader.get('language', asLanguage),
      /** The content of the file of overrides; null: the built-in ones. */
      overrides: reader.get('overrides', (file): unknown => JSON.parse(readFile(file))),
    };
    const { url, authorization, token, profile } = settings;
    const hasCredential = authorization !== null || token !== null;
    const conflicts = {
      'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.':
        url !== null && settings.sandbox,
      'Both OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN are given; leave one out.':
        authorization !== null && token !== null,
      'Both a profile (--profile or OPTIONGRAPH_PROFILE) and a credential (OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN) are given; leave one out.':
        profile !== null && hasCredential,
      'The sandbox has callers of its own; choose one with --as, and leave out --profile, OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN.':
        settings.sandbox && (hasCredential || profile !== null),
    };
    for (const [problem, applies] of Object.entries(conflicts)) if (applies) reader.problems.push(problem);
    return settings;
  });

/** Reads the settings of `login`. @throws As `readCaller` does. */
export const readLogin = (command: Command, env: Environment) =>
  read(command, env, (reader) => ({
    ...readApi(reader),
    profile: readProfileName(reader),
    user: reader.get('user', asText),
    clientId: reader.get('oauthClientId', asText),
    clientSecret: reader.secret('OAUTH_CLIENT_SECRET', asText),
    scope: reader.get('oauthScope', asScope),
    redirectUri: reader.get('redirectUri', asLoopback) ?? new URL('http://127.0.0.1/callback'),
  }));

/** Reads the settings of `logout`. @throws As `readCaller` does. */
export const readLogout = (command: Command, env: Environment) =>
  read(command, env, (reader) => ({
    profile: readProfileName(reader),
    connection: readConnection(reader),
  }));

function read<T>(command: Command, env: Environment, readAll: (reader: Reader) => T): T {
  const reader = new Reader(command.opts(), env);
  const settings = readAll(reader);
  if (reader.problems.length === 0) return settings;
  throw usageError([...reader.problems, helpHint(command)].join('\n'));
}

/** Reads settings, and collects what is wrong with them. */
class Reader {
  readonly problems: string[] = [];
  readonly #flags: OptionValues;
  readonly #env: Environment;

  constructor(flags: OptionValues, env: Environment) {
    this.#flags = flags;
    this.#env = env;
  }

  /** Reads a setting; null where it is not given, or invalid. @param parse Throws an error that says what the value must be. */
  get<T>(name: Name, parse: (text: string) => T): T | null {
    const { flag, variable }: Setting = SETTINGS[name];
    const given: unknown = this.#flags[name];
    if (given !== undefined) return this.#parse(flag.replace(/ .*/, ''), () => parse(String(given)));
    const from = variable === null ? undefined : namesOf(variable).find((one) => this.#env[one]);
    return from === undefined ? null : this.#parse(from, () => parse(this.#env[from] ?? ''));
  }

  /** Reads a secret, given itself or by the name of its file. The white space around it does not count. */
  secret<T>(variable: Secret, parse: (text: string) => T): T | null {
    for (const name of namesOf(variable)) {
      const { [name]: value, [`${name}_FILE`]: file } = this.#env;
      if (value && file) this.problems.push(`${name} and ${name}_FILE are both given; leave one out.`);
      if (value) return this.#parse(name, () => parse(value.trim()));
      if (file) return this.#parse(`${name}_FILE`, () => parse(readFile(file).trim()));
    }
    return null;
  }

  #parse<T>(from: string, parse: () => T): T | null {
    try {
      return parse();
    } catch (error) {
      this.problems.push(`${from} ${error instanceof Error ? error.message : error}.`);
      return null;
    }
  }
}

const readApi = (reader: Reader) => ({
  url: reader.get('upstream', asAddress),
  version: reader.get('apiVersion', asText),
  /** The operator's `Authorization`; null: anonymous. */
  operator: reader.secret('UPSTREAM_AUTHORIZATION', asAuthorization),
  connection: readConnection(reader),
});

const readConnection = (reader: Reader) => ({
  /** PEM. */
  ca: reader.get('upstreamCa', readFile),
  proxy: {
    https: reader.secret('HTTPS_PROXY', asProxy),
    http: reader.secret('HTTP_PROXY', asProxy),
    except: reader.secret('NO_PROXY', asText),
  },
});

const readProfileName = (reader: Reader): string | null =>
  reader.get('profile', (name) =>
    matching(
      name,
      /^[\w-][\w.-]{0,63}$/,
      'must be up to 64 letters, digits and _ . -, and begin with no dot',
    ),
  );

function matching(text: string, pattern: RegExp, message: string): string {
  if (pattern.test(text)) return text;
  throw new Error(message);
}

const asText = (text: string): string => matching(text, /./s, 'must be a text that is not empty');
const asAuthorization = (text: string): string =>
  matching(text, /^(basic|bearer) +[^\s,]+$/i, 'must be an Authorization value: "Basic …" or "Bearer …"');
const asWord = (text: string): string =>
  matching(
    text,
    /^[\x21-\x7e]+$/,
    'must be one word of printable ASCII characters, because it is sent in a header',
  );
const asScope = (text: string): string =>
  matching(
    text,
    /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
    'must be words separated by single spaces (RFC 6749, section 3.3)',
  );

function asLanguage(text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? text;
  } catch {
    throw new Error(`must be the tag of a language, such as cs or pt-BR, not ${JSON.stringify(text)}`);
  }
}

/** An address is not repeated, because it may contain a credential. */
function asAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('must be an http or https address, such as https://api.example.org/');
  if (url.username + url.password === '') return url;
  throw new Error(
    'must not contain credentials; use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller',
  );
}

function asProxy(text: string): string {
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new Error('must be an http or https address, such as http://proxy.example.org:3128');
}

function asLoopback(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '');
  if (url?.protocol === 'http:' && isLoopback && url.username + url.password + url.search + url.hash === '')
    return url;
  throw new Error(
    'must be an http address on this machine without a query, such as http://127.0.0.1/callback',
  );
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `names the file ${file}, which cannot be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}
