// The settings of `optiongraph serve`.
import * as z from 'zod';
import { DEFAULT_LANGUAGE } from '../upstream/http/languages.ts';
import { type Given, SOURCES } from './given-settings.ts';
import { limits } from './limit-settings.ts';
import {
  allowedHosts,
  basePath,
  clientHeaders,
  host,
  port,
  redis,
  socket,
  trustedProxies,
} from './listen-settings.ts';
import { group, optional, setting } from './setting.ts';
import { audit, log, metrics } from './telemetry-settings.ts';
import { languageHeader, overrides, proxy, transport, upstreamUrl } from './upstream-settings.ts';
import {
  address,
  authorization,
  choice,
  documentsFile,
  integer,
  isBasePath,
  languageTag,
  list,
  origin,
  scope,
  secret,
  secrets,
  text,
  toggle,
} from './values.ts';

const upstream = group(
  {
    url: upstreamUrl('required unless `--sandbox` is given'),
    versions: setting(list(text()).default([]), '--api-version V', {
      isCommon: true,
      help: 'version of the API, or several; the first is at `/graphql`, each other at `/graphql/<version>`',
      defaultText: "the API's default version",
    }),
    authorization: setting(optional(authorization()), null, {
      variable: 'UPSTREAM_AUTHORIZATION',
      isCommon: true,
      isSecret: true,
      help: '`Basic …` or `Bearer …`; fetches the base description, which decides the types of all callers, and nothing else',
      defaultText: "none: anonymous. With the sandbox: its administrator's",
    }),
    languageHeader,
    ...transport,
  },
  'Management API',
);

const trustedDocuments = group(
  {
    documents: setting(optional(documentsFile()), null, {
      help: 'JSON file with documents that clients may name by id: a map, or a manifest of Apollo',
    }),
    mode: setting(choice('allow', 'enforce').default('enforce'), null, {
      help: '`allow`: clients may send other documents too. `enforce`: they may not; there is no introspection and no explorer',
    }),
  },
  'Trusted documents',
);

const oauth = group(
  {
    clientId: setting(optional(text()), null, {
      variable: 'OAUTH_CLIENT_ID',
      help: "OAuth 2.0 client id with which browsers sign in at the API's provider",
    }),
    clientSecret: setting(optional(secret()), null, {
      variable: 'OAUTH_CLIENT_SECRET',
      isSecret: true,
      help: "the client's secret; required with the id",
    }),
    scope: setting(optional(scope()), null, {
      variable: 'OAUTH_SCOPE',
      help: 'scope that browsers ask the provider for; words separated by one space',
      defaultText: 'described default of the token method, else none',
    }),
    sessionSecret: setting(optional(secrets(32)), null, {
      variable: 'SESSION_SECRET',
      isSecret: true,
      help: 'encrypts session cookies and what replicas share; 32 characters or more. Of several, separated by commas, the first encrypts and all decrypt',
      defaultText: 'a random one for the process',
    }),
  },
  'Sign-in of browsers',
);

const snippets = group(
  {
    url: setting(optional(address('https://paste.example.org/', 'use SNIPPETS_API_KEY for its key')), null, {
      variable: 'SNIPPETS_URL',
      help: 'address of a snippet service',
      defaultText: "the sandbox's, else none",
    }),
    apiKey: setting(optional(secret()), null, {
      variable: 'SNIPPETS_API_KEY',
      isSecret: true,
      help: 'key for all callers who send none in `X-Snippets-Api-Key`; requires the address',
    }),
  },
  'Snippet service',
);

/** All settings of `serve`; the schema of the configuration file. */
export const serveSettings = z.strictObject({
  $schema: z.string().optional(),
  port: port(4000),
  host,
  socket,
  trustedProxies,
  clientHeaders,
  basePath,
  publicUrl: setting(
    optional(address('https://graphql.example.org/', 'give it without one', true)),
    '--public-url URL',
    {
      isCommon: true,
      help: 'address at which browsers reach Optiongraph, with the base path',
      defaultText: "the request's, on this machine only",
    },
  ),
  allowedHosts,
  origins: setting(list(origin()).default([]), '--origins A,B', {
    isCommon: true,
    help: 'other origins whose pages may read responses, use the session cookie and subscribe',
  }),
  compression: setting(toggle(true), null, {
    help: '`on`: compresses results above 1,000 bytes where clients accept it. `off`: leaves it to a proxy',
  }),
  readyNeedsUpstream: setting(toggle(), null, {
    help: '`/readyz` is 503 while the API is down: it is probed every 5 seconds, is down after 3 failures in a row, and up after 2 responses',
  }),
  sandbox: setting(toggle(), '--sandbox', {
    variable: null,
    isCommon: true,
    help: 'serves an embedded sandbox with made-up data in place of an API',
  }),
  schemaMode: setting(choice('caller', 'fixed').default('caller'), null, {
    help: '`caller`: each caller has the schema of their own description. `fixed`: all have that of `UPSTREAM_AUTHORIZATION`',
  }),
  language: setting(languageTag().default(DEFAULT_LANGUAGE), null, {
    help: 'language of schemas for callers who ask for none that the API has',
  }),
  introspection: setting(choice('on', 'authenticated', 'off').default('on'), null, {
    help: 'who may introspect: everybody (`on`), callers with a credential (`authenticated`), or nobody (`off`)',
  }),
  readOnly: setting(toggle(), '--read-only', {
    help: 'leaves out all mutations, those that sign in included',
  }),
  expose: setting(optional(list(text())), null, {
    help: 'globs of the scopes of actions to serve, such as `book#*`, `book.**` or `**#index`; sign-in needs none',
    defaultText: 'all',
  }),
  hide: setting(list(text()).default([]), null, {
    help: 'globs of the scopes of actions to leave out, also of those in `expose`',
  }),
  mcp: setting(toggle(), '--mcp', {
    help: 'serves agents at `/mcp`, by the Model Context Protocol',
  }),
  mcpAnswerTokens: setting(integer(200, 100_000).default(4_000), null, {
    help: 'estimated tokens of an answer to an agent, above which lists are cut at whole rows',
  }),
  federation: setting(toggle(), null, {
    help: 'serves a subgraph of Apollo Federation 2: `_service`, and `_entities` by global ids',
  }),
  anonymousHints: setting(toggle(), null, {
    help: 'adds "Sign in to use it" when an anonymous caller selects a field that only others have',
  }),
  basicFromBrowsers: setting(toggle(), null, {
    help: 'accepts HTTP basic from browsers, which the specification forbids',
  }),
  overrides,
  cacheDir: setting(optional(text()), null, {
    help: 'folder for the last good description, which is served after a start while the API is down',
  }),
  upstream,
  proxy,
  trustedDocuments,
  oauth,
  redis,
  snippets,
  log,
  audit,
  metrics,
  limits,
});

/** The settings of `serve`, valid and complete. */
export type ServeConfig = z.output<typeof serveSettings>;

/**
 * The settings of the upstream that a sandbox replaces, or the sandbox that an upstream replaces: a flag decides before a variable, and
 * that before the file. None where one source gives both.
 */
export function findOverruledOfServe(given: ReadonlyMap<string, Given>): readonly string[] {
  const sandbox = given.get('sandbox');
  const url = given.get('upstream.url');
  if (sandbox?.value !== true || url === undefined) return [];
  const rank = ({ source }: Given): number => SOURCES.indexOf(source);
  if (rank(url) < rank(sandbox)) return ['sandbox'];
  // Its credential and connection are of no use for the sandbox either.
  return [...given].flatMap(([key, one]) =>
    key.startsWith('upstream.') && rank(one) > rank(sandbox) ? [key] : [],
  );
}

/** The path below which browsers reach the server; empty: the root. */
export const basePathOf = ({ basePath, publicUrl }: Pick<ServeConfig, 'basePath' | 'publicUrl'>): string =>
  basePath ?? publicUrl?.pathname.replace(/\/$/, '') ?? '';

/** What can be wrong with valid settings that depend on each other, with whether it is. */
export function conflictsOfServe(config: ServeConfig): Readonly<Record<string, boolean>> {
  const { sandbox, upstream, oauth, redis, snippets, trustedDocuments: trusted } = config;
  const { certificate, key } = upstream;
  const usesOAuth = oauth.clientId !== null || oauth.clientSecret !== null || oauth.scope !== null;
  const publicPath = basePathOf({ ...config, basePath: null });
  return {
    'serve needs a management API: give its address with --upstream URL or UPSTREAM_URL, or serve made-up data with --sandbox.':
      upstream.url === null && !sandbox,
    'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.':
      upstream.url !== null && sandbox,
    'Signing in with OAuth 2.0 needs both OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.':
      usesOAuth && (oauth.clientId === null || oauth.clientSecret === null),
    '--redis needs SESSION_SECRET, with which the replicas encrypt what they share; give all of them the same one.':
      redis.address !== null && oauth.sessionSecret === null,
    'Routers write documents of their own, so federation needs trustedDocuments.mode: allow.':
      config.federation && trusted.documents !== null && trusted.mode === 'enforce',
    'SNIPPETS_API_KEY needs SNIPPETS_URL, the address of its service.':
      snippets.apiKey !== null && snippets.url === null,
    null: (certificate === null) !== (key === null),
    'The path of --public-url must be like /api/graph, and the same as basePath.':
      !isBasePath(publicPath) ||
      (config.basePath !== null && publicPath !== '' && publicPath !== config.basePath),
  };
}
