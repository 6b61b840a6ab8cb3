// The error for invalid arguments and environment variables.

/** A setting is invalid. The message names it and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The command whose help explains it. The program sets that of the command that it runs. */
  command = 'optiongraph';
}
