// The exit codes of the program, and the error of a command that ends with one of them.

/** Exit codes of all commands. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, unreachable: 3, credentials: 4, running: 5 } as const;

/** What each exit code means: in a few words for `--help`, and in Markdown for the documents. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, readonly [string, string]>> = {
  ok: ['success', 'success; `serve` was closed by a signal'],
  failed: [
    'failure or findings',
    'another failure, such as a port in use; or what a command has found: errors in a result, a refused write, a failed action, a breaking change, a finding of `doctor`',
  ],
  usage: [
    'wrong arguments or settings',
    'wrong or incomplete arguments or settings, an invalid document, a file that cannot be read; the API has no such version',
  ],
  unreachable: [
    'the API cannot be reached or is no HaveAPI server',
    'the API cannot be reached, or is no HaveAPI server; `serve` waits for an API that is down, unless its host name does not exist',
  ],
  credentials: [
    'the credential is refused, missing or has ended',
    'the API does not know the credential (of `serve`: `UPSTREAM_AUTHORIZATION`), or needs one; a profile is missing, cannot be used or has ended',
  ],
  running: ['an action is still running', '`watch` has ended, and its action is still running'],
};

/** A command cannot go on. The message says why, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The arguments of a command cannot be used. */
export const usageError = (message: string): CommandError => new CommandError(EXIT_CODES.usage, message);
