// Converts errors to messages for people and exit codes.
import { CommandError, EXIT_CODES } from '@optiongraph/tools/command-line/exit-codes';
import { ConfigError } from '../config/config-file.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { isCertificateCode } from '../upstream/explain-failure.ts';

/** Converts an error of any command to a message, and the exit code. */
export function explain(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof CommandError) return { code: error.exitCode, message: error.message };
  if (error instanceof ConfigError)
    return { code: EXIT_CODES.usage, message: `${error.message}\nSee ${error.command} --help.` };
  if (error instanceof OptiongraphError) {
    const [exit, advice] = ADVICE[error.code] ?? ['unreachable', `Check ${settingToCheck(error)}.`];
    return { code: EXIT_CODES[exit], message: `${error.message} ${advice}` };
  }
  if (isListenError(error))
    return {
      code: EXIT_CODES.failed,
      message: `Cannot listen (${error.message}); check --host (OPTIONGRAPH_HOST), --port (PORT), and the setting metrics.port.`,
    };
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
  if (code === 'TIMEOUT') return '--upstream and OPTIONGRAPH_UPSTREAM_TIMEOUT';
  if (code !== 'UNREACHABLE' || typeof cause !== 'string') return '--upstream';
  if (isCertificateCode(cause)) return 'OPTIONGRAPH_UPSTREAM_CA';
  const ofTls = '--upstream, OPTIONGRAPH_UPSTREAM_CERTIFICATE and OPTIONGRAPH_UPSTREAM_KEY';
  return SETTINGS_BY_CAUSE[cause] ?? (cause.startsWith('ERR_SSL') ? ofTls : '--upstream');
}

const SETTINGS_BY_CAUSE: Readonly<Record<string, string>> = {
  ENOENT: 'OPTIONGRAPH_UPSTREAM_SOCKET',
  EACCES: 'OPTIONGRAPH_UPSTREAM_SOCKET',
  UND_ERR_ABORTED: 'HTTPS_PROXY and NO_PROXY',
  ERR_SSL_WRONG_VERSION_NUMBER: '--upstream, which begins with http:// for an API without TLS',
};

/** Whether node cannot listen. No other errors have these system calls. */
const isListenError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall));
