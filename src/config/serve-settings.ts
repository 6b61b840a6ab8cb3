// The settings of `optiongraph serve`.
import * as z from 'zod';
import { CLIENT_HEADERS } from '../upstream/http/client-headers.ts';
import { DEFAULT_LANGUAGE } from '../upstream/http/languages.ts';
import { optional, setting } from './setting.ts';
import { groups } from './setting-groups.ts';
import * as values from './values.ts';

/** Port to listen at. */
export const port = (fallback: number) =>
  setting(values.integer(0, 65_535).default(fallback), '--port N', {
    variable: 'PORT',
    isCommon: true,
    help: 'TCP port; 0 is any free one',
    defaultText: `${fallback}`,
  });

/** Address to listen at. */
export const host = setting(values.text().default('127.0.0.1'), '--host NAME', {
  isCommon: true,
  help: 'address to listen at',
});

/** All settings of `serve`; the schema of the configuration file. */
export const serveSettings = z.strictObject({
  $schema: z.string().optional(),
  port: port(4000),
  host,
  trustedProxies: setting(
    values.list(values.network()).default(['127.0.0.0/8', '::1']),
    '--trusted-proxies A,B',
    {
      isCommon: true,
      help: 'addresses and networks whose `X-Forwarded-For` is believed, or `none`',
      defaultText: 'this machine',
    },
  ),
  clientHeaders: setting(values.list(values.choice(...CLIENT_HEADERS)).default([...CLIENT_HEADERS]), null, {
    help: 'headers that name the client to the API: `client-ip`, `x-forwarded-for` and `user-agent`, or `none`',
    defaultText: 'all three',
  }),
  basePath: setting(optional(values.basePathText()), null, {
    help: 'path below which browsers reach Optiongraph, such as `/api/graph`',
    defaultText: 'the path of the public URL',
  }),
  publicUrl: setting(
    optional(values.address('https://graphql.example.org/', 'give it without one', true)),
    '--public-url URL',
    {
      isCommon: true,
      help: 'address at which browsers reach Optiongraph, with the base path',
      defaultText: "the request's, on this machine only",
    },
  ),
  allowedHosts: setting(values.list(values.hostName()).default([]), null, {
    help: "hosts that requests may name besides the public URL's and this machine's; `*` for any",
    defaultText: 'none; without a public URL any, but not at a loopback address',
  }),
  origins: setting(values.list(values.origin()).default([]), '--origins A,B', {
    isCommon: true,
    help: 'other origins whose pages may read responses, use the session cookie and subscribe',
  }),
  sandbox: setting(values.toggle(), '--sandbox', {
    variable: null,
    isCommon: true,
    help: 'serves an embedded sandbox with made-up data in place of an API',
  }),
  schemaMode: setting(values.choice('caller', 'fixed').default('caller'), null, {
    help: '`caller`: each caller has a schema of their own. `fixed`: all have that of `UPSTREAM_AUTHORIZATION`',
  }),
  language: setting(values.languageTag().default(DEFAULT_LANGUAGE), null, {
    help: 'language of schemas for callers who ask for none that the API has',
  }),
  introspection: setting(values.choice('on', 'authenticated', 'off').default('on'), null, {
    help: 'who may introspect: all (`on`), callers with a credential (`authenticated`), or nobody (`off`)',
  }),
  readOnly: setting(values.toggle(), '--read-only', {
    help: 'leaves out all mutations, those that sign in included',
  }),
  expose: setting(optional(values.list(values.text())), null, {
    help: 'globs of the actions to serve, such as `book#*`, `book.**` or `**#index`; sign-in needs none',
    defaultText: 'all',
  }),
  hide: setting(values.list(values.text()).default([]), null, {
    help: 'globs of the actions to leave out, also of those in `expose`',
  }),
  mcp: setting(values.toggle(), '--mcp', { help: 'serves agents at `/mcp`, by the Model Context Protocol' }),
  mcpAnswerTokens: setting(values.integer(200, 100_000).default(4_000), null, {
    help: 'estimated tokens of an answer to an agent, above which lists are cut',
  }),
  federation: setting(values.toggle(), null, {
    help: 'serves a subgraph of Apollo Federation 2',
  }),
  basicFromBrowsers: setting(values.toggle(), null, {
    help: 'accepts HTTP basic from browsers, which the specification forbids',
  }),
  overrides: setting(optional(values.overridesFile()), '--overrides FILE', {
    isCommon: true,
    help: 'JSON file with facts that the description lacks',
    defaultText: 'the built-in facts',
  }),
  ...groups,
});

/** The settings of `serve`, valid and complete. */
export type ServeConfig = z.output<typeof serveSettings>;

/** The path below which browsers reach the server; empty: the root. */
export const basePathOf = ({ basePath, publicUrl }: Pick<ServeConfig, 'basePath' | 'publicUrl'>): string =>
  basePath ?? publicUrl?.pathname.replace(/\/$/, '') ?? '';

/** Returns what is wrong with valid settings that depend on each other. */
export function conflictsOfServe(config: ServeConfig): readonly string[] {
  const { sandbox, upstream, oauth, redis, snippets, trustedDocuments: trusted } = config;
  const usesOAuth = oauth.clientId !== null || oauth.clientSecret !== null || oauth.scope !== null;
  const publicPath = basePathOf({ ...config, basePath: null });
  const conflicts = {
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
    'upstream.certificate and upstream.key are given together, or neither.':
      (upstream.certificate === null) !== (upstream.key === null),
    'The path of --public-url must be like /api/graph, and the same as basePath.':
      !values.isBasePath(publicPath) ||
      (config.basePath !== null && publicPath !== '' && publicPath !== config.basePath),
  };
  return Object.entries(conflicts).flatMap(([message, applies]) => (applies ? [message] : []));
}
