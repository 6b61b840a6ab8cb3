// The exit codes of the program, and the error of a command that ends with one of them.

/** Exit codes of all commands. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, unreachable: 3, credentials: 4, running: 5 } as const;

/** What each exit code means. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: 'success',
  failed: 'another failure, or what a command has found, such as errors in a result or a breaking change',
  usage: 'wrong arguments or settings, or a file that cannot be read',
  unreachable: 'the API cannot be reached, or is no HaveAPI server',
  credentials: 'the credential is unknown to the API, missing or has ended',
  running: 'the watched action is still running',
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
