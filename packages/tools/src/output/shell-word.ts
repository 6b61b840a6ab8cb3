// Writes words for a shell.

/** A word as a shell reads it, in quotation marks where it needs them. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
