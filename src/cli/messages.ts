// Formats the messages of the command-line program.
import type { Sandbox } from '@optiongraph/sandbox';
import type { Snippets } from '@optiongraph/sandbox/snippets';
import { ConfigError } from '../config/config-error.ts';
import type { ServeConfig } from '../config/serve-settings.ts';
import type { Facade } from '../facade/facade.ts';
import type { Finding } from '../upstream/description/description.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { isCertificateCode } from '../upstream/explain-failure.ts';
import { CommandError, EXIT_CODES } from './exit-codes.ts';

/** Stands in place of credentials where the output may become a log. */
export const CREDENTIALS_HIDDEN =
  'Its tokens and keys are printed on a terminal only. README.md shows how to sign in.';

/**
 * Lists the users of the sandbox and of its snippet service with their credentials. It is for terminals only.
 * @param keyHeader The header or parameter that carries an API key.
 */
export function describeCredentials(sandbox: Sandbox, snippets: Snippets | null, keyHeader: string): string {
  return [describeUsers(sandbox), ...(snippets === null ? [] : [describeKeys(snippets, keyHeader)])].join(
    '\n\n',
  );
}

function describeUsers(sandbox: Sandbox): string {
  const lines = sandbox.users.map(({ login, password, token }) =>
    [`  ${login} (password ${password})`, `    ${sandbox.tokenHeader}: ${token}`].join('\n'),
  );
  const { login, password, totpSecret } = sandbox.twoStepUser;
  const [client] = sandbox.oauthClients;
  return [
    'Its users, each with a header to send:',
    ...lines,
    `  ${login} (password ${password}, then a one-time code of the TOTP secret ${totpSecret})`,
    'Its OAuth 2.0 client:',
    `  ${client?.id} (secret ${client?.secret}), back to ${client?.redirectUris.join(' or ')}`,
  ].join('\n');
}

function describeKeys({ allowAnonymous, users }: Snippets, name: string): string {
  const lines = users.map(({ login, apiKey }) => `  ${login}\n    ${name}: ${apiKey}`);
  const need = allowAnonymous ? 'none for public and unlisted snippets' : 'one for every command';
  return [`Keys of its snippet service, which needs ${need}:`, ...lines].join('\n');
}

/** Says in words what is served at the endpoint of a facade. */
export function describeEndpoint({ trustedDocuments, upstream }: ServeConfig, index: number): string {
  if (index > 0) return `The same for version ${upstream.versions[index]}:`;
  const { documents, mode } = trustedDocuments;
  return documents === null || mode === 'allow'
    ? 'GraphQL, and GraphiQL in a browser:'
    : 'GraphQL for trusted documents:';
}

/** Describes a facade that serves, for its first line in the log. */
export function describeFacade(
  { upstream, schemaMode }: ServeConfig,
  { schema: { schema, findings } }: Facade,
  index: number,
) {
  return {
    // Without a sandbox, it has an address. Addresses with credentials are refused.
    upstream: upstream.url?.href ?? 'sandbox',
    apiVersion: upstream.versions[index] ?? 'default',
    schemaMode,
    types: Object.keys(schema.getTypeMap()).length,
    findings: findings.length,
  };
}

/** Formats findings: one line for each code and reason, with all its paths. */
export function describeFindings(findings: readonly Finding[]): readonly string[] {
  const pathsByFinding = new Map<string, string[]>();
  for (const { code, path, reason } of findings) {
    const key = `${code}: ${reason}`;
    pathsByFinding.set(key, [...(pathsByFinding.get(key) ?? []), path]);
  }
  return [...pathsByFinding].map(([key, paths]) => `${key} (${paths.length}: ${paths.join(', ')})`);
}

/** Converts an error to a message for the operator, and the exit code. */
export function explain(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof CommandError) return { code: error.exitCode, message: error.message };
  if (error instanceof ConfigError)
    return { code: EXIT_CODES.usage, message: `${error.message}\nSee ${error.command} --help.` };
  if (isListenError(error)) {
    const { address = '', hostname, port, code } = error;
    const isSocket = port === -1;
    if (code !== 'EADDRINUSE')
      return {
        code: EXIT_CODES.failed,
        message: `Cannot listen at ${hostname ?? address} (${code}); check ${isSocket ? '--socket' : '--host (OPTIONGRAPH_HOST) and --port (PORT)'}.`,
      };
    const taken = isSocket
      ? `The socket ${address} is taken, or is no socket; choose another with --socket.`
      : `Port ${port} is taken; choose another with --port.`;
    return { code: EXIT_CODES.failed, message: taken };
  }
  if (error instanceof OptiongraphError) {
    const [exit, advice] = ADVICE[error.code] ?? ['unreachable', `Check ${settingToCheck(error)}.`];
    return { code: EXIT_CODES[exit], message: `${error.message} ${advice}` };
  }
  return {
    code: EXIT_CODES.failed,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** The exit codes of errors that say what is wrong, and what to do. */
const ADVICE: Readonly<Record<string, readonly [keyof typeof EXIT_CODES, string]>> = {
  CREDENTIALS_UNKNOWN: ['credentials', 'Check UPSTREAM_AUTHORIZATION.'],
  CREDENTIALS_MISSING: ['credentials', 'Give one as UPSTREAM_AUTHORIZATION.'],
  VERSION_UNKNOWN: ['usage', 'Choose one with --api-version (OPTIONGRAPH_API_VERSION).'],
};

/** The setting that is the likely reason why the management API cannot be reached. */
function settingToCheck({ code, cause }: OptiongraphError): string {
  if (code === 'TIMEOUT') return '--upstream and --upstream-timeout';
  if (code !== 'UNREACHABLE' || typeof cause !== 'string') return '--upstream';
  if (isCertificateCode(cause)) return '--upstream-ca';
  const setting = SETTINGS_BY_CAUSE[cause];
  if (setting !== undefined) return setting;
  return cause.startsWith('ERR_SSL') ? '--upstream, --upstream-certificate and --upstream-key' : '--upstream';
}

const SETTINGS_BY_CAUSE: Readonly<Record<string, string>> = {
  ENOENT: '--upstream-socket',
  EACCES: '--upstream-socket',
  UND_ERR_ABORTED: 'HTTPS_PROXY and NO_PROXY',
  ERR_SSL_WRONG_VERSION_NUMBER: '--upstream, which begins with http:// for an API without TLS',
};

/** Whether node cannot listen. No other errors have these system calls. */
function isListenError(error: unknown): error is Error & {
  readonly code: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
} {
  return (
    error instanceof Error &&
    'code' in error &&
    'syscall' in error &&
    ['listen', 'getaddrinfo'].includes(String(error.syscall))
  );
}
