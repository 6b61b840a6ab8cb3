#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { type Config, readConfig } from '../config/config.ts';
import { createLog } from '../log/log.ts';
import { defaultOverrides } from '../overrides/defaults.ts';
import { listenSandbox, type Sandbox } from '../sandbox/listen-sandbox.ts';
import { listenSnippets } from '../sandbox/snippets/listen-snippets.ts';
import { createFacade, type Facade, type FacadeOptions } from '../server/facade.ts';
import { openServer } from '../server/server.ts';
import { waitUntilReachable } from '../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../snippets/snippets-extension.ts';
import { readAuthorization } from '../upstream/http/authentication.ts';
import { describeFindings, describeKeys, describeUsers, explain } from './messages.ts';
import { USAGE } from './usage.ts';

/** The facade as the embedded sandbox's provider knows it. */
const explorer = {
  id: 'optiongraph',
  secret: randomUUID(),
  name: 'Optiongraph',
  redirectUris: ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}/auth/callback`),
};

type ServeConfig = Extract<Config, { command: 'serve' }>;
type Closable = { close(): Promise<void> };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env);
  switch (config.command) {
    case 'help':
      return say(USAGE);
    case 'version':
      return say(readVersion());
    case 'sandbox': {
      const sandbox = await listenSandbox(config);
      const snippets = await listenSnippets({ host: config.host, allowAnonymous: !config.snippetsNeedKey });
      onSignal(async () => {
        await sandbox.close();
        await snippets.close();
      });
      say(`The sandbox's management API is at ${sandbox.url}/`);
      say(`Its snippet service is at ${snippets.url}/\n\n${describeUsers(sandbox)}\n`);
      return say(describeKeys(snippets, 'api_key'));
    }
    case 'serve':
      return serve(config);
  }
}

async function serve(config: ServeConfig): Promise<void> {
  const log = createLog((line) => void process.stderr.write(line));
  const closables: Closable[] = [];
  const leaving = new AbortController();
  const closeAll = async (): Promise<void> => {
    leaving.abort();
    for (const closable of closables) await closable.close();
  };
  try {
    const server = await openServer(config);
    closables.push(server);
    // Before anything is printed: whoever waits for the address may send a signal at once.
    onSignal(closeAll);
    const served: Facade[] = [];
    process.on('SIGHUP', () => {
      for (const facade of served) void facade.refresh();
    });
    const sandbox = config.upstream === null ? await listenSandbox({ oauthClients: [explorer] }) : null;
    if (sandbox !== null) closables.push(sandbox);
    const snippets = sandbox !== null && config.snippets === null ? await listenSnippets() : null;
    if (snippets !== null) closables.push(snippets);
    const upstream = config.upstream ?? new URL(sandbox?.url ?? '');
    const facades = await waitUntilReachable(
      () =>
        createFacades(config.versions, {
          upstream,
          descriptionCredential: config.descriptionCredential ?? (sandbox === null ? null : adminOf(sandbox)),
          callers: { schemaMode: config.schemaMode },
          basicFromBrowsers: config.basicFromBrowsers,
          overrides: config.overrides ?? defaultOverrides,
          ...(config.trustedProxies === undefined ? {} : { trustedProxies: config.trustedProxies }),
          cacheDir: config.cacheDir,
          oauth:
            config.oauth ??
            // Version 5.0 of the sandbox describes no scope to ask for.
            (sandbox === null
              ? null
              : { clientId: explorer.id, clientSecret: explorer.secret, scope: 'all' }),
          snippets: snippets === null ? config.snippets : { url: new URL(snippets.url) },
          ...(sandbox === null ? {} : { explorerHeaders: tokenHeaderOf(sandbox, sandbox.users.at(-1)) }),
          log,
        }),
      log,
      leaving.signal,
    );
    served.push(...facades);
    server.serve(facades);
    if (config.oauth !== null && config.oauth.sessionSecret === null)
      log.warn('SESSION_SECRET is not set, so browsers are signed out when this process ends');
    for (const { schema } of facades) for (const line of describeFindings(schema.findings)) log.warn(line);
    facades.forEach(({ yoga }, index) => {
      const what =
        index === 0
          ? 'GraphQL, and GraphiQL in a browser:'
          : `The same for version ${config.versions[index]}:`;
      say(`${what.padEnd(35)} ${server.origin}${yoga.graphqlEndpoint}`);
    });
    if (sandbox !== null) say(`Embedded sandbox (its REST API):    ${sandbox.url}/`);
    if (snippets !== null) say(`Its snippet service:                ${snippets.url}/`);
    if (sandbox !== null) say(`\n${describeUsers(sandbox)}`);
    if (snippets !== null) say(`\n${describeKeys(snippets, KEY_HEADER)}`);
  } catch (error) {
    const hasLeft = leaving.signal.aborted;
    await closeAll();
    if (!hasLeft) throw error;
  }
}

/** One facade a version: the first at the usual path, each other below it. */
async function createFacades(
  versions: ServeConfig['versions'],
  options: Omit<FacadeOptions, 'version' | 'endpoint'>,
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const shared = { verifier: new CredentialVerifier(), signIns: new SignInLimit() };
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

function adminOf({ users }: Sandbox) {
  const [admin] = users;
  return readAuthorization(`Basic ${Buffer.from(`${admin?.login}:${admin?.password}`).toString('base64')}`);
}

function tokenHeaderOf(sandbox: Sandbox, user: Sandbox['users'][number] | undefined): Record<string, string> {
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
