// Opens the file to which the audit of writes goes.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../../config/config-file.ts';
import type { Log } from '../../log.ts';

/** Appends, also while other processes append to the file. Whatever else has the name, such as a pipe, must not block. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** Characters of lines that may wait. More are lost, because they must not fill the memory. */
const MAX_WAITING = 1024 * 1024;

const openFile = (name: string): Promise<FileHandle> => open(name, FLAGS, 0o600);

/** Appends text to a file, which is another one once it has been renamed. What is in a regular file survives the loss of the machine. */
async function append(name: string, text: string): Promise<number> {
  const file = await openFile(name);
  try {
    const { bytesWritten } = await file.write(text);
    if ((await file.stat()).isFile()) await file.datasync();
    return bytesWritten;
  } finally {
    await file.close();
  }
}

/**
 * Opens the audit.
 * @param name The file.
 * @returns See `AuditOptions.write`.
 * @throws ConfigError when the file cannot be opened.
 */
export async function openAudit(name: string, log: Log): Promise<(line: string) => Promise<boolean>> {
  const shown = JSON.stringify(name);
  try {
    await (await openFile(name)).close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`The file of audit.file, ${shown}, cannot be opened: ${code ?? error}.`);
  }
  /** Lines that could not be written, and are tried again with the next one. */
  let waiting = '';
  let isFailing = false;
  const write = async (line: string): Promise<boolean> => {
    const lines = waiting + line;
    const written = await append(name, lines).catch(() => 0);
    const isWritten = written === Buffer.byteLength(lines);
    // A line that was cut ends where the next one begins.
    waiting = isWritten || lines.length > MAX_WAITING ? '' : `${written > 0 ? '\n' : ''}${lines}`;
    if (isWritten === isFailing) {
      isFailing = !isWritten;
      if (isFailing) log.error(`the audit ${shown} cannot be written, so writes are refused until it can`);
      else log.info('the audit is written again', { event: 'audit' });
    }
    return isWritten;
  };
  let last = Promise.resolve(true);
  return (line) => {
    last = last.then(() => write(line));
    return last;
  };
}
