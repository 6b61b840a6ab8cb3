// Reads the words of errors.

/** The message of what was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
