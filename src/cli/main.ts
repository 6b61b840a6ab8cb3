#!/usr/bin/env node
// The command-line program: starts the facade or the sandbox.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { type Config, readConfig } from '../config/config.ts';
import { createLog } from '../log/log.ts';
import { defaultOverrides } from '../overrides/defaults.ts';
import type { Sandbox } from '../sandbox/listen-sandbox.ts';
import { CostBudget, DEFAULT_COST_BUDGETS } from '../server/cost/cost-budget.ts';
import { createFacade, type Facade } from '../server/facade.ts';
import type { FacadeOptions } from '../server/facade-options.ts';
import { openServer } from '../server/server.ts';
import { waitUntilReachable } from '../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../snippets/snippets-extension.ts';
import { readAuthorization } from '../upstream/http/authentication.ts';
import { describeFindings, describeKeys, describeUsers, explain } from './messages.ts';
import { USAGE } from './usage.ts';

/** The facade's registration at the OAuth 2.0 provider of the embedded sandbox. */
const SANDBOX_CLIENT = {
  id: 'optiongraph',
  secret: randomUUID(),
  name: 'Optiongraph',
  redirectUris: ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}/auth/callback`),
};

type ServeConfig = Extract<Config, { command: 'serve' }>;
type Closable = { close(): Promise<void> };

/** Imports the sandbox only where it is started, so that `serve --upstream` starts faster. */
const importSandbox = async () => ({
  ...(await import('../sandbox/listen-sandbox.ts')),
  ...(await import('../sandbox/snippets/listen-snippets.ts')),
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env);
  switch (config.command) {
    case 'help':
      return print(USAGE);
    case 'version':
      return print(readVersion());
    case 'sandbox': {
      const { listenSandbox, listenSnippets } = await importSandbox();
      const sandbox = await listenSandbox(config);
      const snippets = await listenSnippets({ host: config.host, allowAnonymous: !config.snippetsNeedKey });
      onSignal(async () => {
        await sandbox.close();
        await snippets.close();
      });
      print(`The sandbox's management API is at ${sandbox.url}/`);
      print(`Its snippet service is at ${snippets.url}/\n\n${describeUsers(sandbox)}\n`);
      return print(describeKeys(snippets, 'api_key'));
    }
    case 'serve':
      return serve(config);
  }
}

async function serve(config: ServeConfig): Promise<void> {
  const log = createLog((line) => void process.stderr.write(line));
  const closables: Closable[] = [];
  const shutdown = new AbortController();
  const closeAll = async (): Promise<void> => {
    shutdown.abort();
    for (const closable of closables) await closable.close();
  };
  try {
    const server = await openServer(config);
    closables.push(server);
    // Before the address is printed, because a program that waits for it may send a signal at once.
    onSignal(closeAll);
    const served: Facade[] = [];
    process.on('SIGHUP', () => {
      for (const facade of served) void facade.refresh();
    });
    const embedded = config.upstream === null ? await importSandbox() : null;
    const sandbox = (await embedded?.listenSandbox({ oauthClients: [SANDBOX_CLIENT] })) ?? null;
    if (sandbox !== null) closables.push(sandbox);
    const snippets = config.snippets === null ? ((await embedded?.listenSnippets()) ?? null) : null;
    if (snippets !== null) closables.push(snippets);
    const upstream = config.upstream ?? new URL(sandbox?.url ?? '');
    const facades = await waitUntilReachable(
      () =>
        createFacades(config.versions, {
          upstream,
          descriptionCredential:
            config.descriptionCredential ?? (sandbox === null ? null : adminCredential(sandbox)),
          callers: { schemaMode: config.schemaMode },
          basicFromBrowsers: config.basicFromBrowsers,
          overrides: config.overrides ?? defaultOverrides,
          ...(config.trustedProxies === undefined ? {} : { trustedProxies: config.trustedProxies }),
          cacheDir: config.cacheDir,
          oauth:
            config.oauth ??
            // The sandbox's description of version 5.0 has no default scope.
            (sandbox === null
              ? null
              : { clientId: SANDBOX_CLIENT.id, clientSecret: SANDBOX_CLIENT.secret, scope: 'all' }),
          snippets: snippets === null ? config.snippets : { url: new URL(snippets.url) },
          ...(sandbox === null ? {} : { explorerHeaders: tokenHeader(sandbox, sandbox.users.at(-1)) }),
          log,
        }),
      log,
      shutdown.signal,
    );
    served.push(...facades);
    server.serve(facades);
    if (config.oauth !== null && config.oauth.sessionSecret === null)
      log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends');
    for (const { schema } of facades) for (const line of describeFindings(schema.findings)) log.warn(line);
    facades.forEach(({ yoga }, index) => {
      const title =
        index === 0
          ? 'GraphQL, and GraphiQL in a browser:'
          : `The same for version ${config.versions[index]}:`;
      print(`${title.padEnd(35)} ${server.origin}${yoga.graphqlEndpoint}`);
    });
    if (sandbox !== null) print(`Embedded sandbox (its REST API):    ${sandbox.url}/`);
    if (snippets !== null) print(`Its snippet service:                ${snippets.url}/`);
    if (sandbox !== null) print(`\n${describeUsers(sandbox)}`);
    if (snippets !== null) print(`\n${describeKeys(snippets, KEY_HEADER)}`);
  } catch (error) {
    const wasStopped = shutdown.signal.aborted;
    await closeAll();
    if (!wasStopped) throw error;
  }
}

/** Creates a facade for each version: the first at /graphql, each other at /graphql/<version>. */
async function createFacades(
  versions: ServeConfig['versions'],
  options: Omit<FacadeOptions, 'version' | 'endpoint'>,
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const shared = {
    verifier: new CredentialVerifier(),
    signIns: new SignInLimit(),
    costBudget: new CostBudget(DEFAULT_COST_BUDGETS),
  };
  try {
    for (const [index, version] of versions.entries()) {
      const endpoint = index === 0 ? '/graphql' : `/graphql/${encodeURIComponent(version ?? '')}`;
      facades.push(await createFacade({ ...options, version, endpoint, shared }));
    }
    return facades;
  } catch (error) {
    for (const facade of facades) await facade.close();
    throw error;
  }
}

function adminCredential({ users }: Sandbox) {
  const [admin] = users;
  return readAuthorization(`Basic ${Buffer.from(`${admin?.login}:${admin?.password}`).toString('base64')}`);
}

function tokenHeader(sandbox: Sandbox, user: Sandbox['users'][number] | undefined): Record<string, string> {
  return user === undefined ? {} : { [sandbox.tokenHeader]: user.token };
}

function onSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '?';
}

main().catch((error: unknown) => {
  const { code, message } = explain(error);
  process.stderr.write(`optiongraph: ${message}\n`);
  process.exitCode = code;
});
