// The error for arguments and environment variables that make no sense.

/** The message says which setting is wrong, and what was expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
