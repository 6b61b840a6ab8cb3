#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig, USAGE } from './config.ts';
import { defaultOverrides } from './overrides/defaults.ts';
import { listenSandbox, type Sandbox } from './sandbox/listen.ts';
import { listenSnippets, type Snippets } from './sandbox/snippets/listen.ts';
import { createFacade } from './server/facade.ts';
import { createLog } from './server/log.ts';
import { startServer } from './server/server.ts';
import { KEY_HEADER } from './snippets/extension.ts';
import { readAuthorization } from './upstream/authentication.ts';
import { UpstreamError } from './upstream/errors.ts';
import type { Finding } from './upstream/reader.ts';

type ServeConfig = Extract<Config, { command: 'serve' }>;
type Closable = { close(): Promise<void> };

/** Exit codes, as printed by `--help`. */
const EXIT = { failed: 1, usage: 2, portTaken: 3, unreachable: 4, noHaveApi: 5, versionUnknown: 6 } as const;

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
      const snippets = await listenSnippets({ host: config.host });
      closeOnSignal([sandbox, snippets]);
      say(`The sandbox's management API is at ${sandbox.url}/`);
      say(`Its snippet service is at ${snippets.url}/\n\n${describeUsers(sandbox)}\n`);
      return say(describeKeys(snippets, 'api_key'));
    }
    case 'serve':
      return serve(config);
  }
}

async function serve(config: ServeConfig): Promise<void> {
  const sandbox = config.upstream === null ? await listenSandbox() : null;
  const snippets = sandbox !== null && config.snippets === null ? await listenSnippets() : null;
  const embedded = [sandbox, snippets].filter((service) => service !== null);
  try {
    const log = createLog((line) => void process.stderr.write(line));
    const facade = await createFacade({
      upstream: config.upstream ?? new URL(sandbox?.url ?? ''),
      version: config.version,
      descriptionCredential: config.descriptionCredential ?? (sandbox === null ? null : adminOf(sandbox)),
      callers: { schemaMode: config.schemaMode },
      basicFromBrowsers: config.basicFromBrowsers,
      overrides: config.overrides ?? defaultOverrides,
      snippets: snippets === null ? config.snippets : { url: new URL(snippets.url) },
      ...(sandbox === null ? {} : { explorerHeaders: tokenHeaderOf(sandbox, sandbox.users.at(-1)) }),
      log,
    });
    try {
      const server = await startServer(facade, config);
      // Before anything is printed: whoever waits for the address may send a signal at once.
      closeOnSignal([server, ...embedded]);
      process.on('SIGHUP', () => void facade.refresh());
      for (const line of describeFindings(facade.schema.findings)) log.warn(line);
      say(`GraphQL, and GraphiQL in a browser: ${server.url}`);
      if (sandbox !== null) say(`Embedded sandbox (its REST API):    ${sandbox.url}/`);
      if (snippets !== null) say(`Its snippet service:                ${snippets.url}/`);
      if (sandbox !== null) say(`\n${describeUsers(sandbox)}`);
      if (snippets !== null) say(`\n${describeKeys(snippets, KEY_HEADER)}`);
    } catch (error) {
      await facade.close();
      throw error;
    }
  } catch (error) {
    for (const service of embedded) await service.close();
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

function describeUsers(sandbox: Sandbox): string {
  const lines = sandbox.users.map(({ login, password, token }) =>
    [`  ${login} (password ${password})`, `    ${sandbox.tokenHeader}: ${token}`].join('\n'),
  );
  const { login, password, totpSecret } = sandbox.twoStepUser;
  const clients = sandbox.oauthClients.map(
    ({ id, secret, redirectUris }) => `  ${id} (secret ${secret}), back to ${redirectUris.join(' or ')}`,
  );
  return [
    'Its users, each with a header to send:',
    ...lines,
    `  ${login} (password ${password}, then a one-time code of the TOTP secret ${totpSecret})`,
    'Its OAuth 2.0 client:',
    ...clients,
  ].join('\n');
}

function describeKeys({ users }: Snippets, name: string): string {
  const lines = users.map(({ login, apiKey }) => `  ${login}\n    ${name}: ${apiKey}`);
  return ['Keys of its snippet service, which needs none for public and unlisted snippets:', ...lines].join(
    '\n',
  );
}

/** One line for each kind and reason, naming all its places. */
function describeFindings(findings: readonly Finding[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { code, path, reason } of findings) {
    const key = `${code}: ${reason}`;
    places.set(key, [...(places.get(key) ?? []), path]);
  }
  return [...places].map(([key, paths]) => `${key} (${paths.length}: ${paths.join(', ')})`);
}

function closeOnSignal(closables: readonly Closable[]): void {
  const close = async (): Promise<void> => {
    for (const closable of closables) await closable.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '?';
}

/** What went wrong, in words for the one who started the program. */
function explain(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof ConfigError)
    return { code: EXIT.usage, message: `${error.message}\nSee optiongraph --help.` };
  if (isListenError(error)) {
    return error.code === 'EADDRINUSE'
      ? { code: EXIT.portTaken, message: `Port ${error.port} is taken; choose another with --port.` }
      : { code: EXIT.failed, message: `Cannot listen there (${error.code}); check --host and --port.` };
  }
  if (error instanceof UpstreamError) {
    switch (error.code) {
      case 'UNREACHABLE':
      case 'TIMEOUT':
        return { code: EXIT.unreachable, message: `${error.message} Check --upstream.` };
      case 'CREDENTIALS_UNKNOWN':
        return {
          code: EXIT.usage,
          message: 'The management API does not know the credential in UPSTREAM_AUTHORIZATION.',
        };
      case 'VERSION_UNKNOWN':
        return { code: EXIT.versionUnknown, message: `${error.message} Choose one with --api-version.` };
      default:
        return { code: EXIT.noHaveApi, message: error.message };
    }
  }
  return {
    code: EXIT.failed,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Of node, when it cannot listen: nobody else's errors tell these system calls. */
function isListenError(error: unknown): error is Error & { readonly code: string; readonly port?: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    'syscall' in error &&
    (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  );
}

main().catch((error: unknown) => {
  const { code, message } = explain(error);
  process.stderr.write(`optiongraph: ${message}\n`);
  process.exitCode = code;
});
