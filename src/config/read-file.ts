// Reads files that settings name.
import { readFileSync, statSync } from 'node:fs';

/**
 * Reads a text file, or a pipe such as that of `<(command)`.
 * @throws What `node:fs` throws, or an error that says what is there instead of a file.
 */
export function readTextFile(file: string): string {
  const stats = statSync(file);
  if (!stats.isFile() && !stats.isFIFO())
    throw new Error(`it is a ${stats.isDirectory() ? 'folder' : 'device'}, not a file or a pipe`);
  return readFileSync(file, 'utf8');
}
