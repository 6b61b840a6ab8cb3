// The error for invalid arguments and environment variables.

/** A setting is invalid. The message names it and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
