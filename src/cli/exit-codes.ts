// The exit codes of the program, and the error of a command that ends with one of them.

/** Exit codes, as `--help` and docs/configuration.md list them. */
export const EXIT_CODES = {
  ok: 0,
  /** Also: the command has found something, such as a breaking change or errors in a result. */
  failed: 1,
  usage: 2,
  unreachable: 3,
  credentials: 4,
  running: 5,
} as const;

/** The exit codes in words, for `--help`. */
export const EXIT_CODE_HELP = `
Exit codes: 0 success, 1 failure or findings, 2 wrong arguments or settings, 3 the API cannot be reached or is no HaveAPI
server, 4 the credential is refused, missing or has ended, 5 an action is still running.`;

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
